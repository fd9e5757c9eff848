/* preempt_try.c - whether to search for victims, for which entries, and for how many elements.
 *
 * A search is expensive. One without victims is remembered: with its shape if no slot was suspended for it,
 * with its entry and the slots that stayed if some were. A cycle spends a limited cost on searches; the
 * other entries have theirs in the next cycles.
 */
#include "backend/sched/preempt/preempt_internal.h"

#define SEARCH_COST_MAX 1000  /* of one cycle */
#define NO_SEARCH_MS    10000 /* after a search whose victims were of no use */

/* Whether slots are suspended for it: its own, and those behind it if it may have one. */
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

/* Of the slots of other jobs: equal if the same ones stay. */
static uint64_t preempt_slots_that_stay(const struct preempt *p, const struct pending_entry *u)
{
    return 1 + p->queue->slots.stay - u->slot.stays;
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
    for (uint32_t i = 0; i < it->n_choices && !u->class->begun; i++) /* of its own it asks no job */
        preempt_note_futile(p, request_shape_of(u, &it->choices[i]), u->class->qos);
    preempt_remember_unit(p, u, it);
}

bool preempt_finds_none(struct preempt *p, struct pending_entry *u, const struct plan_request *it)
{
    if (preempt_is_futile(p, u, it))
        return true;
    if (!list_empty(&p->queue->entries.with_extra_slots)) /* some of these may give way too */
        return false;
    for (uint32_t i = 0; i < it->n_choices; i++)
        if (preempt_search_ask(p, u, it, i) != SEARCH_NONE)
            return false;
    preempt_remember(p, u, it);
    return true;
}

/* A search for the next element succeeded: searches for the elements behind it. */
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

/* Keeps the planned start up to date while victims are on their way out; of an array, as many as
 * fit then. */
static bool preempt_rebook_preemptor(struct preempt *p, struct pending_entry *u,
                                     const struct plan_request *it)
{
    if (!plan_slots_rebook_preemptor(&p->queue->slots, it, &u->slot))
        return false;
    extra_slots_extend(p, u, it);
    return true;
}

/* Whether one of its victims leaves a node of these partitions, so that its slot is among them. */
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

/* None of its victims is left. */
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
    /* All victims have gone and its start has not come: the slot stays, whichever jobs come meanwhile. */
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
                .closed) { /* it could not start there anyway */
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
