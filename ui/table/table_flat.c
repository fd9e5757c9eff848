/* table_flat.c - a tree of rows without its branches, and back: what becomes of the cursor and the marks.
 */
#include <stdlib.h>

#include "src/base/vec.h"
#include "src/base/xalloc.h"
#include "ui/table/table_private.h"

static uint64_t table_flat_parent_of(const struct table *t, const struct trow *row)
{
    return row->branch ? 0 : t->parent(row->data);
}

/* --- the marks; in both directions the rows are flat --- */

/* Rows of a branch mostly stand side by side. */
static void mark_rows_of_branches(struct table *t)
{
    struct list_state *l = &t->list;
    uint64_t last = 0;
    bool whole = false;
    for (size_t i = 0; i < t->rows.n; i++) {
        uint64_t parent = table_flat_parent_of(t, &t->rows.v[i]);
        whole = parent == last ? whole : list_is_marked(l, parent);
        last = parent;
        if (whole)
            list_mark(l, t->rows.v[i].id, true);
    }
    last = 0;
    for (size_t i = 0; i < t->rows.n; i++) {
        uint64_t parent = table_flat_parent_of(t, &t->rows.v[i]);
        if (parent != last)
            list_mark(l, parent, false);
        last = parent;
    }
}

struct branch {
    uint64_t id;
    size_t n, marked; /* rows */
};

struct branches {
    struct branch *v;
    size_t n;
    struct idmap by_id;
    struct branch **of; /* of each row; NULL: it has none */
};

static struct branch *take_branch(struct branches *b, uint64_t id)
{
    struct branch *known = idmap_get(&b->by_id, id);
    if (known)
        return known;
    b->v[b->n] = (struct branch){.id = id};
    idmap_set(&b->by_id, id, &b->v[b->n]);
    return &b->v[b->n++];
}

static void count_marks(const struct table *t, struct branches *b)
{
    struct branch *last = NULL;
    for (size_t i = 0; i < t->rows.n; i++) {
        uint64_t parent = table_flat_parent_of(t, &t->rows.v[i]);
        if (!parent)
            continue;
        last = last && last->id == parent ? last : take_branch(b, parent);
        last->n++;
        last->marked += list_is_marked(&t->list, t->rows.v[i].id);
        b->of[i] = last;
    }
}

/* Of branches all of whose rows are marked; mostly those are all marks there are. */
static void unmark_rows_of_whole(struct table *t, const struct branches *b)
{
    size_t n = 0;
    for (size_t i = 0; i < b->n; i++)
        n += b->v[i].marked == b->v[i].n ? b->v[i].n : 0;
    if (n == list_n_marks(&t->list)) {
        list_unmark_all(&t->list);
        return;
    }
    for (size_t i = 0; n && i < t->rows.n; i++)
        if (b->of[i] && b->of[i]->marked == b->of[i]->n)
            list_mark(&t->list, t->rows.v[i].id, false);
}

static void mark_branches_of_rows(struct table *t)
{
    struct branches b = {.v = xcalloc(t->rows.n + 1, sizeof *b.v),
                         .of = xcalloc(t->rows.n + 1, sizeof(struct branch *))};
    count_marks(t, &b);
    unmark_rows_of_whole(t, &b);
    for (size_t i = 0; i < b.n; i++) {
        if (b.v[i].marked == b.v[i].n)
            list_mark(&t->list, b.v[i].id, true);
        else if (b.v[i].marked)
            table_fold(t, b.v[i].id, true); /* no mark where it is not seen */
    }
    free(b.v);
    free(b.of);
    idmap_fini(&b.by_id);
}

/* --- the cursor --- */

/* The first row shown that is that branch or one of its; the number of rows where there is none. */
static size_t find_branch(const struct table *t, uint64_t id)
{
    size_t i = 0;
    while (i < t->shown.n && table_shown(t, i)->id != id &&
           table_flat_parent_of(t, table_shown(t, i)) != id)
        i++;
    return i;
}

void table_set_flat(struct table *t, bool flat)
{
    if (t->flat == flat || !t->parent)
        return;
    table_settle(t);
    table_close_range(t);
    struct list_state *l = &t->list;
    const struct trow *row = table_current(t);
    uint64_t id = l->id, branch = !row ? 0 : row->branch ? row->id : table_flat_parent_of(t, row);
    size_t above = l->cursor - l->top; /* it keeps its place on the screen where it can */
    if (!flat && list_n_marks(l))
        mark_branches_of_rows(t);
    t->flat = flat;
    table_refill(t);
    if (flat && list_n_marks(l))
        mark_rows_of_branches(t);
    if (branch && l->id != id)
        list_set_cursor(l, find_branch(t, branch), table_shown_id, t);
    l->top = l->cursor > above ? l->cursor - above : 0;
}
