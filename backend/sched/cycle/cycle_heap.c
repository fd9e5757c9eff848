/* cycle_heap.c - the items of a cycle as a heap, by the queue keys of their heads. */
#include "backend/sched/cycle/cycle_internal.h"

static bool cycle_heap_goes_first(const struct cycle_item *a, const struct cycle_item *b)
{
    return queue_key_before(&a->key, &b->key);
}

static void cycle_heap_sink(struct cycle *s, size_t i)
{
    struct cycle_item *v = s->heap.v, t = v[i];
    for (size_t k; (k = 2 * i + 1) < s->heap.n; i = k) {
        if (k + 1 < s->heap.n && cycle_heap_goes_first(&v[k + 1], &v[k]))
            k++;
        if (!cycle_heap_goes_first(&v[k], &t))
            break;
        v[i] = v[k];
    }
    v[i] = t;
}

static void cycle_heap_rise(struct cycle *s, size_t i)
{
    struct cycle_item *v = s->heap.v, t = v[i];
    for (; i && cycle_heap_goes_first(&t, &v[(i - 1) / 2]); i = (i - 1) / 2)
        v[i] = v[(i - 1) / 2];
    v[i] = t;
}

void cycle_heap_order(struct cycle *s)
{
    for (size_t i = s->heap.n / 2; i-- > 0;)
        cycle_heap_sink(s, i);
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
    s->heap.v[0] = s->heap.v[--s->heap.n];
    if (s->heap.n)
        cycle_heap_sink(s, 0);
    return first;
}

void cycle_heap_push(struct cycle *s, struct cycle_item t)
{
    vec_push(&s->heap, t);
    cycle_heap_rise(s, s->heap.n - 1);
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
