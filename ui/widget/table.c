/* table.c - rows, order and filter of a table; drawing is in table_draw.c. */
#include "ui/widget/table.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "src/base/utf8.h"
#include "src/base/vec.h"

void field_count(struct field *f, uint64_t n, enum role role)
{
    f->has_num = true;
    f->num = (double)n;
    if (n)
        rich_addf(&f->text, role, "%llu", (unsigned long long)n);
}

#define SLICE 8000 /* rows that a filter is tried on between two looks at the keyboard */

void field_init(struct field *f)
{
    *f = (struct field){0};
    rich_init(&f->text);
}

void field_fini(struct field *f)
{
    rich_fini(&f->text);
}

void table_init(struct table *t, const struct column *cols, size_t n_cols,
                void (*fill)(void *ctx, struct table *t), void *ctx)
{
    *t = (struct table){.cols = cols, .n_cols = n_cols, .fill = fill, .ctx = ctx, .sort = -1};
    edit_init(&t->edit);
    field_init(&t->field);
    t->on = xcalloc(n_cols, sizeof *t->on);
    for (size_t i = 0; i < n_cols; i++)
        t->on[i] = !(cols[i].flags & COLUMN_HIDDEN);
}

void table_fini(struct table *t)
{
    list_state_fini(&t->list);
    vec_fini(&t->rows);
    vec_fini(&t->shown);
    vec_fini(&t->next);
    vec_fini(&t->old);
    idmap_fini(&t->open);
    filter_fini(&t->filter);
    edit_fini(&t->edit);
    field_fini(&t->field);
    free(t->on);
    *t = (struct table){0};
}

static uint64_t shown_id(const void *ctx, size_t i)
{
    return table_shown(ctx, i)->id;
}

void table_add(struct table *t, struct trow row)
{
    vec_push(&t->rows, row);
}

bool table_is_open(const struct table *t, uint64_t id)
{
    return idmap_get(&t->open, id) != NULL;
}

bool table_wants_children(const struct table *t, uint64_t id)
{
    return t->filter.n > 0 || table_is_open(t, id);
}

void table_fold(struct table *t, uint64_t id, bool open)
{
    if (open)
        idmap_set(&t->open, id, t);
    else
        idmap_remove(&t->open, id);
}

/* --- the value of a column, the one way to it --- */

static const struct field *get_field(struct table *t, const struct trow *row, size_t column)
{
    struct field *f = &t->field;
    rich_clear(&f->text);
    f->has_num = f->ticks = false;
    f->room = 0;
    t->cols[column].get(t->ctx, row->data, f);
    return f;
}

/* The filter sees a const context; the scratch field is all that it changes. */
struct matcher {
    struct table *t;
};

static const char *row_text(const void *ctx, const void *row, size_t column)
{
    return get_field(((const struct matcher *)ctx)->t, row, column)->text.text.s;
}

static bool row_number(const void *ctx, const void *row, size_t column, double *ret)
{
    const struct field *f = get_field(((const struct matcher *)ctx)->t, row, column);
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
                           .number = row_number};
    return filter_match(&t->filter, &r);
}

/* What a wider filter has left out is not looked at again. */
static bool row_matches(struct table *t, struct trow *row)
{
    row->missed = row->missed || !filter_matches(t, row);
    return !row->missed;
}

/* --- filter and order --- */

static size_t family_end(const struct table *t, size_t i)
{
    size_t e = i + 1;
    while (e < t->rows.n && t->rows.v[e].depth > t->rows.v[i].depth)
        e++;
    return e;
}

/* A parent whose child matches is shown as well, else the child would be out of reach. Of a parent that
 * matches those children are shown that match too, or all where none does. Closed branches keep theirs to
 * themselves. */
static void filter_family(struct table *t, struct trow_numbers *out, size_t i, bool all)
{
    size_t end = family_end(t, i), at = out->n;
    bool matches = all || row_matches(t, &t->rows.v[i]);
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

/* Sorting is a key's work, so it must be done within a frame: values become numbers that compare in the
 * same way, a radix sort puts them in order and keeps the order of equals, and only texts that begin alike
 * are looked at again. What has no number, where others have one, goes to the end, whatever the direction.
 */
struct sort_key {
    uint64_t value;
    uint32_t family; /* in families */
};

struct family {
    uint32_t from, n; /* rows in the unsorted list */
    uint32_t text_at; /* in the pool */
};

struct sorting {
    VEC(struct family) families;
    VEC(struct sort_key) nums, texts;
    struct str pool; /* texts, one behind the other */
};

static unsigned fold(char letter)
{
    unsigned c = (unsigned char)letter;
    return c >= 'A' && c <= 'Z' ? c + 32u : c;
}

/* The first letters, folded. */
static uint64_t prefix_of(const char *s)
{
    uint64_t p = 0;
    for (int i = 0; i < 8; i++) {
        p = p << 8 | fold(*s);
        s += *s != '\0';
    }
    return p;
}

static const char *text_of(const struct sorting *s, const struct sort_key *k)
{
    return s->pool.s + s->families.v[k->family].text_at;
}

/* Names often begin alike, paths always: the letters behind that decide. */
static void take_prefixes(struct sorting *s)
{
    const char *first = s->texts.n ? text_of(s, &s->texts.v[0]) : "";
    size_t common = strlen(first);
    for (size_t i = 1; i < s->texts.n && common; i++) {
        const char *other = text_of(s, &s->texts.v[i]);
        size_t n = 0;
        while (n < common && fold(other[n]) == fold(first[n]))
            n++;
        common = n;
    }
    vec_for_each (&s->texts, i)
        s->texts.v[i].value = prefix_of(text_of(s, &s->texts.v[i]) + common);
}

/* IEEE numbers compare like whole ones once the sign is turned round. */
static uint64_t order_of(double num)
{
    uint64_t bits;
    num += 0.0; /* one zero, not two */
    memcpy(&bits, &num, sizeof bits);
    return bits >> 63 ? ~bits : bits | (uint64_t)1 << 63;
}

static void radix_sort(struct sort_key *v, size_t n, bool reverse)
{
    struct sort_key *other = n ? xreallocarray(NULL, n, sizeof *other) : NULL;
    uint64_t flip = reverse ? UINT64_MAX : 0;
    for (unsigned shift = 0; shift < 64 && n > 1; shift += 8) {
        size_t count[257] = {0};
        for (size_t i = 0; i < n; i++)
            count[((v[i].value ^ flip) >> shift & 255) + 1]++;
        bool all_alike = false;
        for (size_t b = 1; b < 257 && !all_alike; b++)
            all_alike = count[b] == n;
        if (all_alike)
            continue;
        for (size_t b = 1; b < 257; b++)
            count[b] += count[b - 1];
        for (size_t i = 0; i < n; i++)
            other[count[(v[i].value ^ flip) >> shift & 255]++] = v[i];
        memcpy(v, other, n * sizeof *v);
    }
    free(other);
}

struct text_order {
    const struct sorting *s;
    bool reverse;
};

static int compare_texts(const void *pa, const void *pb, void *ctx)
{
    const struct text_order *o = ctx;
    const struct sort_key *a = pa, *b = pb;
    const char *x = text_of(o->s, a), *y = text_of(o->s, b);
    int rc = strcasecmp(x, y);
    rc = rc ? rc : strcmp(x, y);
    rc = o->reverse ? -rc : rc;
    return rc ? rc : (a->family > b->family) - (a->family < b->family);
}

/* Runs whose first letters are the same, but for those that are the same altogether. */
static void settle_texts(struct sorting *s, bool reverse)
{
    struct text_order o = {.s = s, .reverse = reverse};
    struct sort_key *v = s->texts.v;
    for (size_t i = 0; i < s->texts.n;) {
        const char *first = text_of(s, &v[i]);
        size_t end = i + 1;
        bool alike = true;
        for (; end < s->texts.n && v[end].value == v[i].value; end++)
            alike = alike && strcmp(first, text_of(s, &v[end])) == 0;
        if (!alike)
            qsort_r(v + i, end - i, sizeof *v, compare_texts, &o);
        i = end;
    }
}

static void collect_keys(struct table *t, struct sorting *s)
{
    for (size_t i = 0; i < t->shown.n; i++) {
        if (i && table_shown(t, i)->depth > 0) {
            s->families.v[s->families.n - 1].n++;
            continue;
        }
        const struct field *f = get_field(t, table_shown(t, i), (size_t)t->sort);
        struct sort_key key = {.family = (uint32_t)s->families.n,
                               .value = f->has_num ? order_of(f->num) : 0};
        vec_push(&s->families,
                 (struct family){.from = (uint32_t)i, .n = 1, .text_at = (uint32_t)s->pool.len});
        if (f->has_num) {
            vec_push(&s->nums, key);
        } else {
            str_append_n(&s->pool, f->text.text.s, f->text.text.len + 1);
            vec_push(&s->texts, key);
        }
    }
}

static void sort_shown(struct table *t)
{
    struct sorting s = {.pool = STR_INIT};
    collect_keys(t, &s);
    radix_sort(s.nums.v, s.nums.n, t->reverse);
    take_prefixes(&s);
    radix_sort(s.texts.v, s.texts.n, t->reverse);
    settle_texts(&s, t->reverse);
    uint32_t *sorted = t->shown.n ? xreallocarray(NULL, t->shown.n, sizeof *sorted) : NULL;
    size_t at = 0;
    for (size_t i = 0; i < s.nums.n + s.texts.n; i++) {
        const struct sort_key *k = i < s.nums.n ? &s.nums.v[i] : &s.texts.v[i - s.nums.n];
        const struct family *f = &s.families.v[k->family];
        memcpy(sorted + at, t->shown.v + f->from, f->n * sizeof *sorted);
        at += f->n;
    }
    if (sorted)
        memcpy(t->shown.v, sorted, t->shown.n * sizeof *sorted);
    free(sorted);
    vec_fini(&s.families);
    vec_fini(&s.nums);
    vec_fini(&s.texts);
    str_fini(&s.pool);
}

static void begin_matching(struct table *t)
{
    vec_clear(&t->next);
    t->match_at = 0;
    t->matching = true;
}

/* Looks at so many rows more; true: that was all. */
static bool match_some(struct table *t, size_t n)
{
    size_t end = t->rows.n - t->match_at > n ? t->match_at + n : t->rows.n;
    while (t->match_at < end) {
        filter_family(t, &t->next, t->match_at, false);
        t->match_at = family_end(t, t->match_at);
    }
    if (t->match_at < t->rows.n)
        return false;
    struct trow_numbers old = t->shown;
    t->shown = t->next;
    t->next = old;
    vec_fini(&t->old);
    t->matching = false;
    if (t->sort >= 0)
        sort_shown(t);
    list_sync(&t->list, t->shown.n, shown_id, t);
    return true;
}

static void settle(struct table *t)
{
    if (t->matching)
        match_some(t, t->rows.n);
}

bool table_work(struct table *t, bool *ret_done)
{
    *ret_done = t->matching && match_some(t, SLICE);
    return t->matching;
}

static void reshow(struct table *t)
{
    begin_matching(t);
    settle(t);
}

void table_refill(struct table *t)
{
    vec_clear(&t->rows);
    t->fill(t->ctx, t);
    reshow(t);
}

void table_sort(struct table *t, int column, bool reverse)
{
    t->sort = column;
    t->reverse = reverse;
    reshow(t);
}

int table_find_column(const struct table *t, const char *name)
{
    size_t n = strlen(name);
    for (size_t i = 0; i < t->n_cols; i++)
        if (str_ieq(t->cols[i].name, name))
            return (int)i;
    for (size_t i = 0; i < t->n_cols && n >= 2; i++)
        if (strncasecmp(t->cols[i].name, name, n) == 0)
            return (int)i;
    return -1;
}

void table_show_column(struct table *t, size_t column, bool on)
{
    t->on[column] = on;
}

bool table_shows_column(const struct table *t, size_t column)
{
    return t->on[column];
}

bool table_has_own_columns(const struct table *t)
{
    for (size_t i = 0; i < t->n_cols; i++)
        if (t->on[i] == ((t->cols[i].flags & COLUMN_HIDDEN) != 0))
            return true;
    return false;
}

static int column_of(const void *ctx, const char *name, enum filter_unit *unit)
{
    const struct table *t = ctx;
    int i = table_find_column(t, name);
    *unit = i >= 0 ? t->cols[i].unit : FILTER_PLAIN;
    return i;
}

/* The rows are the same as long as there is a filter: it opens every branch. The rest is table_work's. */
static void apply_filter(struct table *t)
{
    struct filter before = t->filter;
    bool half = t->matching; /* what the one before leaves out is not known of all rows */
    t->filter = (struct filter){0};
    filter_parse(&t->filter, t->edit.text.s, column_of, t);
    if (!before.n || !t->filter.n) {
        if (!t->old.v) {
            t->old = t->rows;
            t->rows = (struct trows){0};
        }
        vec_clear(&t->rows);
        t->fill(t->ctx, t);
    } else if (half || !filter_narrows(&before, &t->filter)) {
        for (size_t i = 0; i < t->rows.n; i++)
            t->rows.v[i].missed = false;
    }
    begin_matching(t);
    match_some(t, SLICE);
    filter_fini(&before);
}

void table_set_filter(struct table *t, const char *text)
{
    edit_set(&t->edit, text);
    apply_filter(t);
    settle(t);
}

size_t table_mark_matching(struct table *t, const char *text)
{
    settle(t);
    struct filter own = t->filter;
    size_t n = 0;
    t->filter = (struct filter){0};
    filter_parse(&t->filter, text, column_of, t);
    for (size_t i = 0; i < t->shown.n; i++)
        if (filter_matches(t, table_shown(t, i))) {
            list_mark(&t->list, table_shown(t, i)->id, true);
            n++;
        }
    filter_fini(&t->filter);
    t->filter = own;
    return n;
}

bool table_is_filtered(const struct table *t)
{
    return t->filter.n > 0;
}

/* --- the cursor and the marks --- */

const struct trow *table_current(const struct table *t)
{
    return t->shown.n ? table_shown(t, t->list.cursor) : NULL;
}

void table_select(struct table *t, uint64_t id)
{
    t->list.id = id;
    if (t->list.n)
        list_sync(&t->list, t->shown.n, shown_id, t);
}

bool table_range(const struct table *t, size_t *first, size_t *last)
{
    return list_range(&t->list, shown_id, t, first, last);
}

static void close_range(struct table *t)
{
    size_t first, last;
    if (table_range(t, &first, &last))
        for (size_t i = first; i <= last; i++)
            list_mark(&t->list, table_shown(t, i)->id, true);
    t->list.range = 0;
}

void table_targets(struct table *t, void (*each)(void *arg, const struct trow *row), void *arg)
{
    if (t->list.range)
        close_range(t);
    const struct trow *current = table_current(t);
    if (!list_n_marks(&t->list)) {
        if (current)
            each(arg, current);
        return;
    }
    for (size_t i = 0; i < t->rows.n; i++)
        if (list_is_marked(&t->list, t->rows.v[i].id))
            each(arg, &t->rows.v[i]);
}

static bool is_a_row(const void *ctx, uint64_t id)
{
    const struct table *t = ctx;
    for (size_t i = 0; i < t->rows.n; i++)
        if (t->rows.v[i].id == id)
            return true;
    return false;
}

static void fold_current(struct table *t, uint32_t key)
{
    const struct trow *row = table_current(t);
    if (!row)
        return;
    size_t i = t->list.cursor;
    if (!row->branch || (key == KEYNAME_LEFT && !table_is_open(t, row->id)))
        while (i > 0 && table_shown(t, i)->depth > 0 && table_shown(t, i)->depth >= row->depth)
            i--; /* a child folds its parent */
    if (!table_shown(t, i)->branch || (i != t->list.cursor && key == KEYNAME_RIGHT))
        return;
    uint64_t id = table_shown(t, i)->id;
    bool open = key == KEYNAME_RIGHT ? true : key == KEYNAME_LEFT ? false : !table_is_open(t, id);
    if (i != t->list.cursor)
        list_set_cursor(&t->list, i, shown_id, t);
    table_fold(t, id, open);
    table_refill(t);
}

static void mark_current(struct table *t)
{
    const struct trow *row = table_current(t);
    if (!row)
        return;
    list_mark(&t->list, row->id, !list_is_marked(&t->list, row->id));
    list_move(&t->list, ACTION_DOWN, shown_id, t);
}

static void toggle_range(struct table *t)
{
    if (t->list.range)
        close_range(t);
    else
        t->list.range = t->list.id;
}

static void mark_all(struct table *t)
{
    list_prune(&t->list, is_a_row, t);
    for (size_t i = 0; i < t->shown.n; i++)
        if (table_shown(t, i)->depth == 0) /* a branch stands for its children */
            list_mark(&t->list, table_shown(t, i)->id, true);
}

/* What is typed narrows what is shown already. */
static void begin_filter(struct table *t)
{
    t->typing = true;
    if (t->edit.text.len && t->edit.text.s[t->edit.text.len - 1] != ' ') {
        str_append_char(&t->edit.text, ' ');
        t->edit.at = t->edit.text.len;
    }
}

static void end_filter(struct table *t)
{
    size_t n = t->edit.text.len;
    while (n && t->edit.text.s[n - 1] == ' ')
        n--;
    str_truncate(&t->edit.text, n);
    t->edit.at = n;
    t->typing = false;
}

unsigned table_act(struct table *t, enum action a, const struct input *in)
{
    settle(t);
    if (list_move(&t->list, a, shown_id, t))
        return DID_HANDLE | DID_REDRAW;
    if (a == ACTION_FILTER)
        begin_filter(t);
    else if (a == ACTION_MARK)
        mark_current(t);
    else if (a == ACTION_RANGE)
        toggle_range(t);
    else if (a == ACTION_MARK_ALL)
        mark_all(t);
    else if (a == ACTION_UNMARK)
        list_unmark_all(&t->list);
    else if (a == ACTION_FOLD || a == ACTION_FOLD_TASKS)
        fold_current(t, in->kind == INPUT_KEY ? in->key : 0);
    else if (a == ACTION_CLOSE && t->list.range)
        t->list.range = 0;
    else if (a == ACTION_CLOSE && table_is_filtered(t))
        table_set_filter(t, "");
    else if (a == ACTION_CLOSE && list_n_marks(&t->list))
        list_unmark_all(&t->list);
    else
        return 0;
    return DID_HANDLE | DID_REDRAW;
}

static unsigned filter_input(struct table *t, const struct input *in)
{
    uint32_t key = in->kind == INPUT_KEY ? in->key : 0;
    if (key == KEYNAME_ENTER || key == KEYNAME_ESC) {
        settle(t);
        end_filter(t);
        if (key == KEYNAME_ESC)
            table_set_filter(t, "");
    } else if (key == KEYNAME_UP || key == KEYNAME_DOWN) {
        settle(t);
        list_move(&t->list, key == KEYNAME_UP ? ACTION_UP : ACTION_DOWN, shown_id, t);
    } else if (edit_input(&t->edit, in)) {
        apply_filter(t);
    }
    return DID_HANDLE | DID_REDRAW;
}

static unsigned mouse_input(struct table *t, const struct input *in, struct rect area)
{
    if (!rect_has(area, in->y, in->x))
        return 0;
    if (in->what == MOUSE_WHEEL_UP || in->what == MOUSE_WHEEL_DOWN) {
        list_scroll(&t->list, in->what == MOUSE_WHEEL_UP ? -3 : 3, shown_id, t);
        return DID_HANDLE | DID_REDRAW;
    }
    size_t i = t->list.top + (size_t)(in->y - area.y - 1);
    if (in->y == area.y || i >= t->shown.n)
        return DID_HANDLE;
    list_set_cursor(&t->list, i, shown_id, t);
    /* The second click opens only what the first one chose: rows may have moved between them. */
    bool again = in->what == MOUSE_DOUBLE && t->pressed == t->list.id;
    t->pressed = t->list.id;
    return again ? DID_REDRAW : DID_HANDLE | DID_REDRAW;
}

unsigned table_input(struct table *t, const struct input *in, struct rect area)
{
    if (in->kind == INPUT_MOUSE) {
        settle(t);
        return mouse_input(t, in, area);
    }
    return t->typing ? filter_input(t, in) : 0;
}

void table_export(struct table *t, struct str *out)
{
    for (size_t i = 0; i < t->n_cols; i++)
        str_appendf(out, "%s%s", i ? "\t" : "", t->cols[i].name);
    str_append_char(out, '\n');
    for (size_t r = 0; r < t->shown.n; r++) {
        for (size_t i = 0; i < t->n_cols; i++) {
            if (i)
                str_append_char(out, '\t');
            cell_text(out, get_field(t, table_shown(t, r), i)->text.text.s, -1, false, false);
        }
        str_append_char(out, '\n');
    }
}
