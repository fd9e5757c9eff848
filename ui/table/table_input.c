/* table_input.c - keys and the mouse on a table: the cursor, the marks, the filter line. */
#include "ui/table/table_private.h"

bool table_range(const struct table *t, size_t *first, size_t *last)
{
    return list_range(&t->list, table_shown_id, t, first, last);
}

void table_close_range(struct table *t)
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
        table_close_range(t);
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

static uint64_t table_input_row_id(const void *ctx, size_t i)
{
    return ((const struct table *)ctx)->rows.v[i].id;
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
        list_set_cursor(&t->list, i, table_shown_id, t);
    table_fold(t, id, open);
    table_refill(t);
}

static void mark_current(struct table *t)
{
    const struct trow *row = table_current(t);
    if (!row)
        return;
    list_mark(&t->list, row->id, !list_is_marked(&t->list, row->id));
    list_move(&t->list, ACTION_DOWN, table_shown_id, t);
}

static void toggle_range(struct table *t)
{
    if (t->list.range)
        table_close_range(t);
    else
        t->list.range = t->list.id;
}

static void mark_all(struct table *t)
{
    list_prune(&t->list, t->rows.n, table_input_row_id, t);
    for (size_t i = 0; i < t->shown.n; i++)
        if (table_shown(t, i)->depth == 0) /* a branch stands for its children */
            list_mark(&t->list, table_shown(t, i)->id, true);
}

/* A letter replaces the old text, a movement keeps it. */
static void begin_filter(struct table *t)
{
    t->typing = true;
    t->edit.at = t->edit.text.len;
    t->edit.selected = t->edit.text.len > 0;
}

static void end_filter(struct table *t)
{
    size_t n = t->edit.text.len;
    while (n && t->edit.text.s[n - 1] == ' ')
        n--;
    str_truncate(&t->edit.text, n);
    t->edit.at = n;
    t->edit.selected = false;
    t->typing = false;
}

/* To the next column that is drawn, by 1 or -1; the rows' own order stands before the first. */
static void table_move_sort(struct table *t, int by)
{
    int i = t->sort + by, n = (int)t->n_cols;
    i = i < -1 ? n - 1 : i;
    while (i >= 0 && i < n && !t->drawn[i])
        i += by;
    table_sort(t, i >= n ? -1 : i, i >= 0 && i < n && t->reverse);
}

unsigned table_act(struct table *t, enum action a, const struct input *in)
{
    table_settle(t);
    if (list_move(&t->list, a, table_shown_id, t))
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
    else if (a == ACTION_SORT_NEXT || a == ACTION_SORT_PREV)
        table_move_sort(t, a == ACTION_SORT_NEXT ? 1 : -1);
    else if (a == ACTION_SORT_TURN && t->sort >= 0)
        table_sort(t, t->sort, !t->reverse);
    else if (a == ACTION_FOLD || a == ACTION_FOLD_TASKS)
        fold_current(t, in->kind == INPUT_KEY ? in->key : 0);
    else if (a == ACTION_FLAT || a == ACTION_PAST_FLAT)
        table_set_flat(t, !t->flat);
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
        table_settle(t);
        end_filter(t);
        if (key == KEYNAME_ESC)
            table_set_filter(t, "");
    } else if (key == KEYNAME_UP || key == KEYNAME_DOWN) {
        table_settle(t);
        list_move(&t->list, key == KEYNAME_UP ? ACTION_UP : ACTION_DOWN, table_shown_id, t);
    } else if (edit_input(&t->edit, in)) {
        t->typed_filter = true;
        table_apply_filter(t);
    }
    return DID_HANDLE | DID_REDRAW;
}

/* Up, down, and the rows' own order again. */
static void table_press_heading(struct table *t, int x)
{
    int from = t->head.x + MARK_CELLS, left = -1;
    for (size_t i = 0; i < t->n_cols; i++) {
        if (!t->drawn[i])
            continue;
        from += table_gap(t->cols, left, i);
        left = (int)i;
        if (x >= from && x <= from + t->drawn[i]) {
            bool same = t->sort == (int)i;
            table_sort(t, same && t->reverse ? -1 : (int)i, same && !t->reverse);
            return;
        }
        from += t->drawn[i];
    }
}

static unsigned mouse_input(struct table *t, const struct input *in, struct rect area)
{
    if (!rect_has(area, in->y, in->x))
        return 0;
    if (in->what == MOUSE_WHEEL_UP || in->what == MOUSE_WHEEL_DOWN) {
        list_scroll(&t->list, in->what == MOUSE_WHEEL_UP ? -3 : 3, table_shown_id, t);
        return DID_HANDLE | DID_REDRAW;
    }
    if (rect_has(t->head, in->y, in->x)) {
        table_press_heading(t, in->x);
        return DID_HANDLE | DID_REDRAW;
    }
    size_t at = (size_t)(in->y - area.y - 1), i = at < t->lines.n ? t->lines.v[at] : TABLE_NO_ROW;
    if (in->y == area.y || i >= t->shown.n)
        return DID_HANDLE;
    list_set_cursor(&t->list, i, table_shown_id, t);
    /* The second click opens only what the first one chose: rows may have moved between them. */
    bool again = in->what == MOUSE_DOUBLE && t->pressed == t->list.id;
    t->pressed = t->list.id;
    return again ? DID_REDRAW : DID_HANDLE | DID_REDRAW;
}

unsigned table_input(struct table *t, const struct input *in, struct rect area)
{
    if (in->kind == INPUT_MOUSE) {
        table_settle(t);
        return mouse_input(t, in, area);
    }
    return t->typing ? filter_input(t, in) : 0;
}
