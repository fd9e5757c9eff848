/* table_filter.c - which rows of a table are shown, and when they are chosen again. */
#include "src/base/vec.h"
#include "ui/widget/table_private.h"

#define SLICE 8000 /* rows that a filter is tried on between two looks at the keyboard */

/* --- a row --- */

/* The filter sees a const context; the scratch field is all that it changes. */
struct matcher {
    struct table *t;
};

static const char *row_text(const void *ctx, const void *row, size_t column)
{
    return table_field(((const struct matcher *)ctx)->t, row, column, 0)->text.text.s;
}

static bool table_filter_row_number(const void *ctx, const void *row, size_t column, double *ret)
{
    struct table *t = ((const struct matcher *)ctx)->t;
    t->field.text.mute = true; /* its text is not looked at */
    const struct table_field *f = table_field(t, row, column, 0);
    t->field.text.mute = false;
    if (f->has_num)
        *ret = f->num;
    return f->has_num;
}

static bool matcher_is_words(const void *ctx, size_t column)
{
    return ((const struct matcher *)ctx)->t->cols[column].flags & COLUMN_WORDS;
}

static bool filter_matches(struct table *t, const struct trow *row)
{
    if (!t->filter.n)
        return true;
    struct matcher m = {.t = t};
    struct filter_row r = {.ctx = &m,
                           .row = row,
                           .n_columns = t->n_cols,
                           .is_words = matcher_is_words,
                           .text = row_text,
                           .number = table_filter_row_number};
    return filter_match(&t->filter, &r);
}

/* What a wider filter has left out is not looked at again, nor what is known. */
static void table_filter_look_at(struct table *t, struct trow *row)
{
    if (!row->missed && !row->known) {
        t->ticked = false;
        row->missed = !filter_matches(t, row);
        row->known = !t->ticked;
    }
}

/* --- a family --- */

static size_t family_end(const struct table *t, size_t i)
{
    size_t e = i + 1;
    while (e < t->rows.n && t->rows.v[e].depth > t->rows.v[i].depth)
        e++;
    return e;
}

/* Its rows have been looked at. A parent whose child matches is shown as well, else the child would be out
 * of reach. Of a parent that matches those children are shown that match too, or all where none does.
 * Closed branches keep theirs to themselves. */
static void filter_family(struct table *t, struct trow_numbers *out, size_t i, bool all)
{
    size_t end = family_end(t, i), at = out->n;
    bool matches = all || !t->rows.v[i].missed;
    vec_push(out, (uint32_t)i);
    for (size_t k = i + 1; k < end; k = family_end(t, k))
        filter_family(t, out, k, all);
    bool child = out->n > at + 1;
    if (!child && matches && !all && end > i + 1) {
        out->n = at;
        filter_family(t, out, i, true);
        return;
    }
    if (!table_is_open(t, t->rows.v[i].id))
        out->n = at + 1;
    if (!matches && !child)
        out->n = at;
}

/* --- all of them, in slices --- */

static void begin_matching(struct table *t)
{
    vec_clear(&t->next);
    t->match_at = 0;
    t->matching = true;
}

/* Looks at n rows more; true: that was all. now: as table_reshow_changed says; NULL: not known. */
static bool match_some(struct table *t, size_t n, const uint32_t *now)
{
    size_t end = t->rows.n - t->match_at > n ? t->match_at + n : t->rows.n;
    for (; t->filter.n && t->match_at < end; t->match_at++) {
        if (t->match_at + TABLE_AHEAD < t->rows.n && !t->rows.v[t->match_at + TABLE_AHEAD].known)
            table_fetch(t, &t->rows.v[t->match_at + TABLE_AHEAD]);
        table_filter_look_at(t, &t->rows.v[t->match_at]);
    }
    if (t->filter.n && t->match_at < t->rows.n)
        return false;
    for (size_t i = 0; i < t->rows.n; i = family_end(t, i))
        filter_family(t, &t->next, i, false);
    struct trow_numbers old = t->shown;
    t->shown = t->next;
    t->next = old;
    vec_fini(&t->old);
    t->matching = false;
    t->n_top = 0;
    for (size_t i = 0; i < t->shown.n; i++)
        t->n_top += t->rows.v[t->shown.v[i]].depth == 0;
    if (t->sort >= 0 && !(now && table_sort_changed(t, &t->next, now)))
        table_sort_shown(t);
    list_sync(&t->list, t->shown.n, table_shown_id, t);
    return true;
}

void table_settle(struct table *t)
{
    if (t->matching)
        match_some(t, t->rows.n, NULL);
}

bool table_work(struct table *t, bool *ret_done)
{
    *ret_done = t->matching && match_some(t, SLICE, NULL);
    return t->matching;
}

/* Filters and sorts the rows again, all at once. */
static void table_reshow(struct table *t)
{
    begin_matching(t);
    table_settle(t);
}

void table_reshow_changed(struct table *t, const uint32_t *now)
{
    begin_matching(t);
    match_some(t, t->rows.n, now);
}

/* --- the filter --- */

static int table_filter_column_of(const void *ctx, const char *name, enum filter_unit *unit)
{
    const struct table *t = ctx;
    int i = table_find_column(t, name);
    *unit = i >= 0 ? t->cols[i].unit : FILTER_PLAIN;
    return i;
}

static bool table_filter_has_branches(const struct table *t)
{
    for (size_t i = 0; i < t->rows.n; i++)
        if (t->rows.v[i].branch)
            return true;
    return false;
}

/* With a filter every branch is open: where there is none the rows are the same with and without. The rest
 * is table_work's. */
void table_apply_filter(struct table *t)
{
    struct filter before = t->filter;
    bool half = t->matching; /* what the one before leaves out is not known of all rows */
    t->filter = (struct filter){0};
    filter_parse(&t->filter, t->edit.text.s, table_filter_column_of, t);
    if (!before.n != !t->filter.n && table_filter_has_branches(t)) {
        if (!t->old.v) {
            t->old = t->rows;
            t->rows = (struct trows){0};
        }
        vec_clear(&t->rows);
        t->fill(t->ctx, t);
    } else {
        bool narrows = !half && filter_narrows(&before, &t->filter);
        for (size_t i = 0; i < t->rows.n; i++) {
            struct trow *row = &t->rows.v[i];
            row->missed = row->missed && narrows;
            row->known = row->missed && row->known;
        }
    }
    begin_matching(t);
    match_some(t, SLICE, NULL);
    filter_fini(&before);
}

void table_set_filter(struct table *t, const char *text)
{
    edit_set(&t->edit, text);
    table_apply_filter(t);
    table_settle(t);
}

size_t table_mark_matching(struct table *t, const char *text)
{
    table_settle(t);
    struct filter own = t->filter;
    struct trow_numbers found = {0};
    t->filter = (struct filter){0};
    filter_parse(&t->filter, text, table_filter_column_of, t);
    for (size_t i = 0; i < t->shown.n; i++) {
        if (i + TABLE_AHEAD < t->shown.n)
            table_fetch(t, table_shown(t, i + TABLE_AHEAD));
        if (filter_matches(t, table_shown(t, i)))
            vec_push(&found, (uint32_t)i);
    }
    filter_fini(&t->filter);
    t->filter = own;
    idmap_reserve(&t->list.marks, t->list.marks.n + found.n);
    for (size_t i = 0; i < found.n; i++)
        list_mark(&t->list, table_shown(t, found.v[i])->id, true);
    size_t n = found.n;
    vec_fini(&found);
    return n;
}

bool table_is_filtered(const struct table *t)
{
    return t->filter.n > 0;
}

void table_refill(struct table *t)
{
    vec_clear(&t->rows);
    t->fill(t->ctx, t);
    table_reshow(t);
}

void table_sort(struct table *t, int column, bool reverse)
{
    t->sort = column;
    t->reverse = reverse;
    table_reshow(t);
}
