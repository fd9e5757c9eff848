/* cycle_heap.c - whose turn it is: groups in the order of their heads. */
#include "backend/sched/cycle/cycle_internal.h"

static bool goes_first(const struct cycle_item *a, const struct cycle_item *b)
{
    return rank_before(&a->rank, &b->rank);
}

static void sink(struct cycle *s, size_t i)
{
    struct cycle_item *v = s->heap.v, t = v[i];
    for (size_t k; (k = 2 * i + 1) < s->heap.n; i = k) {
        if (k + 1 < s->heap.n && goes_first(&v[k + 1], &v[k]))
            k++;
        if (!goes_first(&v[k], &t))
            break;
        v[i] = v[k];
    }
    v[i] = t;
}

static void rise(struct cycle *s, size_t i)
{
    struct cycle_item *v = s->heap.v, t = v[i];
    for (; i && goes_first(&t, &v[(i - 1) / 2]); i = (i - 1) / 2)
        v[i] = v[(i - 1) / 2];
    v[i] = t;
}

void cycle_heap_order(struct cycle *s)
{
    for (size_t i = s->heap.n / 2; i-- > 0;)
        sink(s, i);
}

struct pending_entry *cycle_item_head(const struct job_class *g, uint32_t entry)
{
    return container_of(g->entries[entry].cursor, struct pending_entry, in_group);
}

struct cycle_item cycle_item_of(struct job_class *g, uint32_t entry, bool borrow)
{
    const struct pending_entry *u = cycle_item_head(g, entry);
    uint32_t prio = g->entries[entry].prio;
    return (struct cycle_item){
        .g = g,
        .entry = entry,
        .rank = rank_of(g, entry, borrow, prio, u->submit_ms, u->order_id, u->order_index),
        .borrow = borrow};
}

struct cycle_item cycle_heap_pop(struct cycle *s)
{
    struct cycle_item first = s->heap.v[0];
    s->heap.v[0] = s->heap.v[--s->heap.n];
    if (s->heap.n)
        sink(s, 0);
    return first;
}

void cycle_heap_push(struct cycle *s, struct cycle_item t)
{
    vec_push(&s->heap, t);
    rise(s, s->heap.n - 1);
}

bool cycle_heap_advance(struct planner *p, struct job_class *g, uint32_t entry)
{
    struct queue_entry *e = &g->entries[entry];
    do
        e->cursor = e->cursor->next;
    while (e->cursor != &g->units && cycle_item_head(g, entry)->count == 0);
    if (e->cursor == &g->units)
        return false;
    const struct pending_entry *u = cycle_item_head(g, entry);
    e->prio = planner_rank(&p->queue, g, entry, u->job, u->submit_ms);
    return true;
}
