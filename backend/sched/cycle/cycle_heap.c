/* cycle_heap.c - the items of a cycle as a heap, by the queue keys of their heads. */
#include "backend/sched/cycle/cycle_internal.h"
#include "src/base/heap_sift.h"

static bool cycle_heap_goes_first(const struct cycle_item *a, const struct cycle_item *b)
{
    return queue_key_before(&a->key, &b->key);
}

static void cycle_heap_put(struct cycle_item *v, size_t i, struct cycle_item t)
{
    v[i] = t;
}

HEAP_SIFT(cycle_heap, struct cycle_item, cycle_heap_goes_first, cycle_heap_put)

void cycle_heap_order(struct cycle *s)
{
    for (size_t i = s->heap.n / 2; i-- > 0;)
        cycle_heap_sink(s->heap.v, s->heap.n, i, s->heap.v[i]);
}

struct pending_entry *cycle_item_head(const struct job_class *g, uint32_t tier_at)
{
    return container_of(g->tiers[tier_at].cursor, struct pending_entry, in_class);
}

struct cycle_item cycle_item_of(struct job_class *g, uint32_t tier_at, bool borrow)
{
    const struct pending_entry *u = cycle_item_head(g, tier_at);
    uint32_t prio = g->tiers[tier_at].prio;
    return (struct cycle_item){
        .g = g,
        .tier_at = tier_at,
        .key = queue_key_of(g, tier_at, borrow, prio, u->submit_ms, u->order_id, u->order_index),
        .borrow = borrow};
}

struct cycle_item cycle_heap_pop(struct cycle *s)
{
    struct cycle_item first = s->heap.v[0];
    if (--s->heap.n)
        cycle_heap_sink(s->heap.v, s->heap.n, 0, s->heap.v[s->heap.n]);
    return first;
}

void cycle_heap_push(struct cycle *s, struct cycle_item t)
{
    vec_push(&s->heap, t);
    cycle_heap_rise(s->heap.v, s->heap.n - 1, t);
}

bool cycle_heap_advance(struct planner *p, struct job_class *g, uint32_t tier_at)
{
    struct class_tier *e = &g->tiers[tier_at];
    do
        e->cursor = e->cursor->next;
    while (e->cursor != &g->entries && cycle_item_head(g, tier_at)->count == 0);
    if (e->cursor == &g->entries)
        return false;
    const struct pending_entry *u = cycle_item_head(g, tier_at);
    e->prio = job_class_priority(&p->queue, g, tier_at, u->job, u->submit_ms);
    return true;
}
