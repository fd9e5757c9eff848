/* table_filter.c - which rows of a table are shown, and when they are chosen again. */
#include "src/base/vec.h"
#include "ui/table/table_private.h"

#define SLICE        8000 /* rows that a filter is tried on between two looks at the keyboard */
#define SLICE_COSTLY 400  /* the same of a filter with an expression */
#define BEST_OF      2000 /* rows that the one that fits best is looked for among */

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

/* While similar texts stand in: has the row the words themselves? */
static bool filter_matches_exactly(struct table *t, const struct trow *row)
{
    t->filter.fuzzy = false;
    bool matches = filter_matches(t, row);
    t->filter.fuzzy = true;
    return matches;
}

/* What a wider filter has left out is not looked at again, nor what is known. */
static void table_filter_look_at(struct table *t, struct trow *row)
{
    if (!row->missed && !row->known) {
        t->ticked = false;
        t->found_exact = t->found_exact || (t->filter.fuzzy && filter_matches_exactly(t, row));
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
    t->found_exact = false;
}

/* Similar texts stand in for the words if no row has the words, and go as soon as one has. Returns whether
 * all rows are to be looked at again for that. */
static bool filter_turns(struct table *t)
{
    bool fuzzy = t->filter.fuzzy ? !t->found_exact : !t->next.n && filter_can_be_fuzzy(&t->filter);
    if (fuzzy == t->filter.fuzzy || !t->rows.n)
        return false;
    t->filter.fuzzy = fuzzy;
    for (size_t i = 0; i < t->rows.n; i++)
        t->rows.v[i].missed = t->rows.v[i].known = false;
    begin_matching(t);
    return true;
}

/* The row that a filter which has just been typed is about: the one that fits best where similar texts
 * stand in, else the first one that matches by itself. */
static size_t filter_best_row(struct table *t)
{
    size_t best = t->shown.n;
    int most = -1;
    for (size_t i = 0; i < t->shown.n && i < BEST_OF; i++) {
        const struct trow *row = table_shown(t, i);
        struct matcher m = {.t = t};
        struct filter_row r = {.ctx = &m,
                               .row = row,
                               .n_columns = t->n_cols,
                               .is_words = matcher_is_words,
                               .text = row_text,
                               .number = table_filter_row_number};
        int score = row->missed ? -1 : t->filter.fuzzy ? filter_score(&t->filter, &r) : 0;
        if (score > most) {
            most = score;
            best = i;
        }
        if (best < t->shown.n && !t->filter.fuzzy)
            break;
    }
    return best < t->shown.n ? best : 0;
}

/* The cursor stays on its row as long as that matches, but for a row that is only similar. */
static void filter_place_cursor(struct table *t, uint64_t before)
{
    bool moves = t->typed_filter && t->shown.n && t->filter.n;
    if (moves && (t->filter.fuzzy || t->list.id != before)) {
        list_set_cursor(&t->list, filter_best_row(t), table_shown_id, t);
        t->list.top = 0;
    }
    t->typed_filter = false;
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
    if (filter_turns(t))
        return false;
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
    uint64_t before = t->list.id;
    list_sync(&t->list, t->shown.n, table_shown_id, t);
    filter_place_cursor(t, before);
    return true;
}

void table_settle(struct table *t)
{
    while (t->matching)
        match_some(t, t->rows.n, NULL);
}

static bool match_slice(struct table *t)
{
    return match_some(t, filter_is_costly(&t->filter) ? SLICE_COSTLY : SLICE, NULL);
}

bool table_work(struct table *t, bool *ret_done)
{
    *ret_done = t->matching && match_slice(t);
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
    table_settle(t);
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
        bool narrows = !half && !before.fuzzy && filter_narrows(&before, &t->filter);
        for (size_t i = 0; i < t->rows.n; i++) {
            struct trow *row = &t->rows.v[i];
            row->missed = row->missed && narrows;
            row->known = row->missed && row->known;
        }
    }
    begin_matching(t);
    match_slice(t);
    filter_fini(&before);
}

void table_type_filter(struct table *t, const char *text, size_t at)
{
    edit_set(&t->edit, text);
    t->edit.at = at < t->edit.text.len ? at : t->edit.text.len;
    t->typed_filter = true;
    table_apply_filter(t);
}

void table_set_filter(struct table *t, const char *text)
{
    edit_set(&t->edit, text);
    t->typed_filter = true;
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
    for (size_t i = 0; i < found.n; i++)
        list_mark(&t->list, table_shown(t, found.v[i])->id, true);
    size_t n = found.n;
    vec_fini(&found);
    return n;
}

bool table_row_passes(struct table *t, const void *data)
{
    const struct trow row = {.data = data};
    bool fuzzy = t->filter.fuzzy;
    t->filter.fuzzy = false;
    bool passes = filter_matches(t, &row);
    t->filter.fuzzy = fuzzy;
    return passes;
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
