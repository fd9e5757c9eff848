/* list.c - cursor, window and marks. */
#include "ui/widget/list.h"

#include "ui/widget/motion.h"

void list_state_fini(struct list_state *l)
{
    marks_fini(&l->marks);
    *l = (struct list_state){0};
}

static bool list_find(size_t n, list_id_fn *id, const void *ctx, uint64_t want, size_t *ret)
{
    for (size_t i = 0; i < n; i++)
        if (id(ctx, i) == want) {
            *ret = i;
            return true;
        }
    return false;
}

void list_sync(struct list_state *l, size_t n, list_id_fn *id, const void *ctx)
{
    size_t old = l->cursor;
    bool was_empty = l->id == 0;
    l->n = n;
    if (!n) {
        l->cursor = l->top = 0;
        return; /* the id stays: the thing may come back, as with a filter that is being typed */
    }
    if (l->cursor >= n)
        l->cursor = n - 1;
    if (was_empty || id(ctx, l->cursor) != l->id) {
        size_t at;
        if (!was_empty && list_find(n, id, ctx, l->id, &at)) {
            l->cursor = at;
            /* The row keeps its place on the screen as well where it can. */
            l->top = at > old ? l->top + (at - old) : l->top > old - at ? l->top - (old - at) : 0;
        }
    }
    l->id = id(ctx, l->cursor);
}

void list_fit(struct list_state *l, int height)
{
    size_t h = height > 0 ? (size_t)height : 1;
    l->height = (int)h;
    if (l->top > l->cursor)
        l->top = l->cursor;
    if (l->cursor >= l->top + h)
        l->top = l->cursor - h + 1;
    if (l->n <= h)
        l->top = 0;
    else if (l->top > l->n - h)
        l->top = l->n - h;
}

void list_set_cursor(struct list_state *l, size_t i, list_id_fn *id, const void *ctx)
{
    if (!l->n)
        return;
    l->cursor = i < l->n ? i : l->n - 1;
    l->id = id(ctx, l->cursor);
}

void list_scroll(struct list_state *l, long by, list_id_fn *id, const void *ctx)
{
    long at = (long)l->cursor + by;
    list_set_cursor(l, at < 0 ? 0 : (size_t)at, id, ctx);
}

bool list_move(struct list_state *l, enum action a, list_id_fn *id, const void *ctx)
{
    long by;
    if (!motion_of(a, l->height, (long)l->n, &by))
        return false;
    list_scroll(l, by, id, ctx);
    return true;
}

bool list_is_marked(const struct list_state *l, uint64_t id)
{
    return marks_has(&l->marks, id);
}

void list_mark(struct list_state *l, uint64_t id, bool on)
{
    marks_set(&l->marks, id, on);
}

size_t list_n_marks(const struct list_state *l)
{
    return l->marks.n;
}

void list_unmark_all(struct list_state *l)
{
    marks_fini(&l->marks);
    l->range = 0;
}

void list_prune(struct list_state *l, size_t n, list_id_fn *id, const void *ctx)
{
    size_t there = 0;
    for (size_t i = 0; i < n && there < l->marks.n; i++)
        there += list_is_marked(l, id(ctx, i));
    if (there == l->marks.n)
        return;
    struct marks kept = {0};
    for (size_t i = 0; i < n; i++)
        if (list_is_marked(l, id(ctx, i)))
            marks_set(&kept, id(ctx, i), true);
    marks_fini(&l->marks);
    l->marks = kept;
}

bool list_range(const struct list_state *l, list_id_fn *id, const void *ctx, size_t *first, size_t *last)
{
    size_t at;
    if (!l->range || !list_find(l->n, id, ctx, l->range, &at))
        return false;
    *first = at < l->cursor ? at : l->cursor;
    *last = at < l->cursor ? l->cursor : at;
    return true;
}
