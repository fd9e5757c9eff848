/* preempt_try.c - whether to look at all for somebody to go, for whom, and for how many.
 *
 * A hunt is dear. One that found nobody is remembered with what it looked at: with its shape where it
 * looked behind no hold, with its unit and the holds that stayed where it did. Only so much is spent in a
 * decision: the others have their turn in the next ones.
 */
#include "backend/sched/preempt/preempt_internal.h"

#define SEARCH_COST_MAX 1000  /* in one decision, by what they cost */
#define NO_SEARCH_MS    10000 /* after one that was of no use in the end */

/* It may look behind holds: its own, and those behind it where it may have one. */
static bool preempt_suspends_slots(const struct preempt *p, const struct pending_entry *u,
                                   const struct plan_request *it)
{
    if (u->slot.use.parts)
        return true;
    for (uint32_t i = 0; i < it->n_choices; i++)
        if (p->queue->slots.partitions[it->choices[i].partition].n_held < p->queue->slots.opts.depth)
            return true;
    return false;
}

/* Equal where it looks behind the same holds: those that stay. */
static uint64_t preempt_slots_that_stay(const struct preempt *p, const struct pending_entry *u)
{
    uint64_t h = 1;
    list_for_each (x, &p->queue->slots.list, struct plan_slot, link) {
        const struct pending_entry *w = container_of(x, struct pending_entry, slot);
        if (w == u || (!x->by_preemption && x->visited != p->queue->slots.iteration))
            continue;
        const int64_t what[] = {w->job, x->use.start, x->use.end};
        h += hash_bytes(what, sizeof what); /* in any order */
    }
    return h;
}

/* Of one of its entries. */
static void preempt_remember_unit(const struct preempt *p, struct pending_entry *u,
                                  const struct plan_request *it)
{
    u->futile.tier_at = it->tier_at;
    u->futile.mark = plan_slots_freed_mark(&p->queue->slots) + 1;
    u->futile.stay = preempt_slots_that_stay(p, u);
}

bool preempt_is_futile(struct preempt *p, struct pending_entry *u, const struct plan_request *it)
{
    bool lifts = preempt_suspends_slots(p, u, it), mine = u->futile.tier_at == it->tier_at;
    if (lifts && u->futile.stay != preempt_slots_that_stay(p, u))
        u->futile.mark = 0;
    uint64_t mark = mine ? u->futile.mark : 0;
    for (uint32_t i = 0; i < it->n_choices; i++) {
        struct request_shape *s = request_shape_of(u, &it->choices[i]);
        bool vain = lifts ? preempt_shape_is_futile_since(p, s, u->class->qos, mark)
                          : preempt_shape_is_futile(p, s, u->class->qos);
        if (!vain)
            return false;
    }
    if (lifts && (mine || !u->futile.mark))
        preempt_remember_unit(p, u, it);
    return true;
}

static void preempt_remember(struct preempt *p, struct pending_entry *u, const struct plan_request *it)
{
    for (uint32_t i = 0; i < it->n_choices && !u->class->begun; i++) /* of its own it asks nobody */
        preempt_note_futile(p, request_shape_of(u, &it->choices[i]), u->class->qos);
    preempt_remember_unit(p, u, it);
}

/* Somebody goes for the next element of an array: for those behind it too, as many as there are places to
 * make.
 */
static void preempt_search_more(struct preempt *p, struct pending_entry *u, const struct plan_request *it,
                                uint32_t choice)
{
    size_t mark = limits_mark(p->queue->limits);
    uint32_t most = extra_slots_most(p, u);
    while (u->slot.use.parts && u->extra.n + 1 < most && p->search_cost < SEARCH_COST_MAX) {
        extra_slots_charge(p, u, u->slot.partition, &u->slot.use);
        extra_slots_push(p, u);
        if (preempt_search_run(p, u, it, choice) != SEARCH_FOUND || !u->slot.use.parts) {
            extra_slots_pop(p, u, it);
            break;
        }
    }
    limits_rewind(p->queue->limits, mark);
}

/* A place is held for when those who leave have gone; of an array as many as there will be. */
static bool preempt_rebook_preemptor(struct preempt *p, struct pending_entry *u,
                                     const struct plan_request *it)
{
    if (!plan_slots_rebook_preemptor(&p->queue->slots, it, &u->slot))
        return false;
    extra_slots_extend(p, u, it);
    return true;
}

/* Of those who leave for it one leaves a node of these partitions: its place is among them. */
static bool preempt_is_waited_for_here(const struct preempt *p, const struct pending_entry *u,
                                       const struct plan_request *it)
{
    if (u->class->n_tiers == 1 || (u->slot.use.parts && u->slot.by_preemption))
        return true;
    list_for_each (r, &p->queue->active.leaving, struct active_job, in_leaving)
        for (uint32_t i = 0; r->for_job == u->job && i < it->n_choices; i++)
            if (active_lies_on(r, it->choices[i].set))
                return true;
    return false;
}

/* None of those who were asked to go for it is still there, beyond its time. */
static bool preempt_all_left(const struct preempt *p, const struct pending_entry *u)
{
    list_for_each (r, &p->queue->active.leaving, struct active_job, in_leaving)
        if (r->for_job == u->job)
            return false;
    return true;
}

bool preempt_try(struct preempt *p, struct pending_entry *u, const struct plan_request *it)
{
    bool waited_for = active_is_awaited(p->queue, u->job), vain = true;
    if (waited_for && !preempt_is_waited_for_here(p, u, it))
        return false;
    bool has_slot = u->slot.use.parts && u->slot.by_preemption && !list_empty(&p->queue->active.leaving);
    /* All have gone and its time has not come: what was promised stands, whoever comes meanwhile. */
    if (!waited_for && u->slot.use.parts && u->slot.by_preemption && u->slot.use.start > p->queue->now.ms &&
        preempt_all_left(p, u))
        return preempt_rebook_preemptor(p, u, it);
    if (!waited_for && p->queue->now.ms < u->futile.not_before)
        return false;
    if (!p->searching && !waited_for && (u->slot.by_preemption || !preempt_is_futile(p, u, it)))
        p->search_pays = true;
    if (waited_for || (has_slot && !p->searching))
        return preempt_rebook_preemptor(p, u, it);
    if (!p->searching || preempt_is_futile(p, u, it))
        return false;
    if (p->search_cost >= SEARCH_COST_MAX) {
        p->searches_left = true;
        p->searching = false;
        return false;
    }
    for (uint32_t i = 0; i < it->n_choices; i++) {
        if (p->queue->slots.partitions[it->choices[i].partition]
                .closed) { /* it could not start there after all */
            vain = false;
            continue;
        }
        enum search_result c = preempt_search_run(p, u, it, i);
        if (c == SEARCH_FOUND) {
            preempt_search_more(p, u, it, i);
            return true;
        }
        vain = vain && c == SEARCH_NONE;
    }
    if (vain)
        preempt_remember(p, u, it);
    return false;
}

void preempt_note_useless(struct preempt *p, uint32_t job)
{
    struct pending_entry *u = idmap_get(&p->queue->entries.by_job, job);
    if (!u)
        return;
    u->futile.not_before = p->queue->now.ms + NO_SEARCH_MS;
    p->search_again = p->search_again > p->queue->now.ms && p->search_again < u->futile.not_before
                          ? p->search_again
                          : u->futile.not_before;
}
