/* extra_slots.c - planned starts of array elements behind the next one, while victims are on their way out.
 *
 * An entry has one slot. If jobs are preempted for several of its elements, each element has one: that of
 * the next element is the entry's, the others are here. They count against no partition, give way only to
 * jobs of a higher tier, and go with the entry's own slot.
 */
#include <stdlib.h>

#include "backend/sched/preempt/preempt_internal.h"

uint32_t extra_slots_most(const struct preempt *p, const struct pending_entry *u)
{
    const struct job *j = queue_job(p->queue, u->job);
    if (!job_is_array_record(j) || u->by_element || u->singleton || u->class->licensed)
        return 1;
    uint32_t most = preempt_throttle_left(p, j);
    return most >= u->count ? u->count : most ? most : 1;
}

static void extra_slots_add(struct preempt *p, struct pending_entry *u, uint32_t partition,
                            const struct pool_parts *parts, int64_t start, int64_t end)
{
    u->extra.v = xreallocarray(u->extra.v, u->extra.n + 1, sizeof *u->extra.v);
    struct extra_slot *c = &u->extra.v[u->extra.n++];
    c->partition = partition;
    pool_plan(&p->queue->pool, &c->use, parts, start, end);
    list_move_to_end(&p->queue->entries.with_extra_slots, &u->extra.link);
}

/* Nothing comes free: the start stays planned. */
void extra_slots_push(struct preempt *p, struct pending_entry *u)
{
    struct plan_slot *h = &u->slot;
    struct pool_parts parts = pool_parts_of(&h->use);
    int64_t start = h->use.start, end = h->use.end;
    uint32_t partition = h->partition;
    pool_drop(&p->queue->pool, &h->use);
    plan_slots_unlink(&p->queue->slots, h);
    extra_slots_add(p, u, partition, &parts, start, end);
    vec_fini(&parts.v);
}

void extra_slots_pop(struct preempt *p, struct pending_entry *u, const struct plan_request *it)
{
    struct extra_slot *last = &u->extra.v[u->extra.n - 1];
    struct placement at = {.start = last->use.start,
                           .len = when_minus(last->use.end, last->use.start),
                           .parts = pool_parts_of(&last->use)};
    while (at.choice + 1 < it->n_choices && it->choices[at.choice].partition != last->partition)
        at.choice++;
    pool_drop(&p->queue->pool, &last->use);
    u->extra.n--;
    plan_slots_book_preemptor(&p->queue->slots, it, &u->slot, &at);
    placement_fini(&at);
    if (!u->extra.n)
        extra_slots_drop(p->queue, u);
}

struct limit_request extra_slots_request(const struct pending_entry *u, uint32_t partition,
                                         const struct pool_use *use)
{
    const struct job_class *g = u->class;
    struct pool_parts parts = pool_parts_of(use);
    uint32_t at = 0;
    while (at + 1 < g->n_choices && g->choices[at].partition != partition)
        at++;
    struct limit_request request = g->requests[at];
    limit_request_set_placement(&parts, when_minus(use->end, use->start), &request);
    vec_fini(&parts.v);
    return request;
}

void extra_slots_charge(struct preempt *p, const struct pending_entry *u, uint32_t partition,
                        const struct pool_use *use)
{
    struct limit_request request = extra_slots_request(u, partition, use);
    limits_charge(p->queue->limits, &request);
}

static int64_t extra_slots_last_to_leave(const struct preempt *p, uint32_t job)
{
    int64_t last = p->queue->now.ms;
    list_for_each (r, &p->queue->active.leaving, struct active_job, in_leaving)
        for (size_t i = 0; r->for_job == job && i < r->v.n; i++)
            if (r->v.v[i]->use.end != WHEN_NEVER && r->v.v[i]->use.end > last)
                last = r->v.v[i]->use.end;
    return last;
}

void extra_slots_extend(struct preempt *p, struct pending_entry *u, const struct plan_request *it)
{
    uint32_t most = extra_slots_most(p, u);
    if (most <= 1 || !u->slot.use.parts)
        return;
    struct placement at = {0};
    size_t mark = limits_mark(p->queue->limits);
    int64_t before = when_plus(extra_slots_last_to_leave(p, u->job), 1);
    extra_slots_charge(p, u, u->slot.partition, &u->slot.use);
    for (uint32_t i = 0; i < u->extra.n; i++)
        extra_slots_charge(p, u, u->extra.v[i].partition, &u->extra.v[i].use);
    /* An element that fits now waits only for the jobs before it. */
    while (u->extra.n + 1 < most && plan_slots_earliest(&p->queue->slots, it, before, &at) &&
           at.start > p->queue->now.ms) {
        uint32_t partition = it->choices[at.choice].partition;
        extra_slots_add(p, u, partition, &at.parts, at.start, when_plus(at.start, at.len));
        extra_slots_charge(p, u, partition, &u->extra.v[u->extra.n - 1].use);
    }
    limits_rewind(p->queue->limits, mark);
    placement_fini(&at);
}

void extra_slots_suspend(struct preempt *p, struct pending_entry *u, bool aside)
{
    for (uint32_t i = 0; i < u->extra.n; i++)
        if (aside)
            pool_suspend(&p->queue->pool, &u->extra.v[i].use);
        else
            pool_restore(&p->queue->pool, &u->extra.v[i].use);
}

static bool extra_slots_are_sound(struct preempt *p, struct pending_entry *u)
{
    for (uint32_t i = 0; i < u->extra.n; i++)
        if (!plan_slots_is_use_valid(&p->queue->slots, &u->extra.v[i].use, u->slot.own))
            return false;
    return true;
}

bool extra_slots_suspend_lower(struct preempt *p, const struct pending_entry *self,
                               const struct plan_request *it)
{
    bool any = false;
    list_for_each (u, &p->queue->entries.with_extra_slots, struct pending_entry, extra.link) {
        u->extra.suspended =
            u != self && u->slot.tier < it->tier && u->slot.visited != p->queue->slots.iteration;
        any = any || u->extra.suspended;
        if (u->extra.suspended)
            extra_slots_suspend(p, u, true);
    }
    return any;
}

void extra_slots_restore_lower(struct preempt *p, const struct placement *taken)
{
    struct pool_use use;
    list_for_each (u, &p->queue->entries.with_extra_slots, struct pending_entry, extra.link)
        if (u->extra.suspended)
            extra_slots_suspend(p, u, false);
    if (!taken)
        return;
    pool_plan(&p->queue->pool, &use, &taken->parts, taken->start, when_plus(taken->start, taken->len));
    list_for_each (u, &p->queue->entries.with_extra_slots, struct pending_entry, extra.link)
        if (u->extra.suspended && !extra_slots_are_sound(p, u))
            extra_slots_drop(p->queue, u);
    pool_drop(&p->queue->pool, &use);
}

void extra_slots_sweep(struct preempt *p)
{
    list_for_each (u, &p->queue->entries.with_extra_slots, struct pending_entry, extra.link) {
        bool over = !u->slot.use.parts || !u->slot.by_preemption ||
                    (p->queue->slots.invalidated && !extra_slots_are_sound(p, u));
        for (uint32_t i = 0; i < u->extra.n; i++)
            over = over || u->extra.v[i].use.start <= p->queue->now.ms;
        if (over)
            extra_slots_drop(p->queue, u);
    }
}

void extra_slots_copy(struct preempt *p, struct pending_entry *u, const struct pending_entry *from)
{
    for (uint32_t i = 0; i < from->extra.n; i++) {
        const struct extra_slot *c = &from->extra.v[i];
        struct pool_parts parts = pool_parts_of(&c->use);
        extra_slots_add(p, u, c->partition, &parts, c->use.start, c->use.end);
        vec_fini(&parts.v);
    }
}
