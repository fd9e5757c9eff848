/* plan_slots_book.c - plans the start of a job that cannot start now, and moves it. */
#include "backend/sched/resources/plan_slots_internal.h"

/* counts: the partition whose slots it uses; NO_PARTITION: none. */
static void slot_hold(struct plan_slots *b, const struct plan_request *it, struct plan_slot *h,
                      bool by_preemption, uint32_t counts, const struct placement *at)
{
    const struct plan_choice *c = &it->choices[at->choice];
    *h = (struct plan_slot){.partition = c->partition,
                            .tier_at = it->tier_at,
                            .tier = it->tier,
                            .job = it->job,
                            .by_preemption = by_preemption,
                            .visited = b->iteration,
                            .mark = plan_slots_freed_mark(b),
                            .own = c->own};
    pool_plan(b->pool, &h->use, &at->parts, at->start, when_plus(at->start, at->len));
    plan_slots_link(b, h, counts);
    if (counts != NO_PARTITION)
        b->partitions[counts].n_held++;
}

/* Its time has come, or it is no longer possible. */
static bool slot_is_broken(struct plan_slots *b, struct plan_slot *h)
{
    return h->use.start <= b->pool->now || (b->invalidated && !plan_slot_is_valid(b, h));
}

/* Moves it to an earlier start if there is one. */
static bool slot_move_earlier(struct plan_slots *b, const struct plan_request *it, struct plan_slot *h,
                              uint32_t counts)
{
    struct placement at = {0};
    struct plan_request part;
    bool by_preemption = h->by_preemption, limited = h->limited, earlier = false, others = false;
    uint64_t promised = h->promised;
    int64_t latest = b->opts.predicts ? h->latest : 0;
    plan_slots_narrow(b, it, h, &part);
    if (part.n_choices) {
        pool_suspend(b->pool, &h->use);
        others = plan_slots_suspend_plans_below(b, &part, by_preemption);
        earlier = plan_slots_earliest(b, &part, h->use.start, &at);
        if (others)
            plan_slots_restore_behind(b);
        pool_restore(b->pool, &h->use);
    }
    if (earlier) {
        plan_slots_drop(b, h);
        slot_hold(b, it, h, by_preemption, counts, &at);
    }
    if (earlier && others)
        plan_slots_drop_displaced(b);
    h->mark = plan_slots_freed_mark(b);
    h->limited = limited;
    h->promised = promised;
    h->latest = latest;
    h->is_earliest = true;
    placement_fini(&at);
    return earlier;
}

/* Keeps it, or moves it earlier. */
static bool slot_hold_again(struct plan_slots *b, const struct plan_request *it, struct plan_slot *h)
{
    uint32_t counts = h->by_preemption || slot_is_broken(b, h)
                          ? NO_PARTITION
                          : plan_slots_partition_left(b, it, h->counts);
    if (counts == NO_PARTITION) {
        plan_slots_drop(b, h);
        return plan_slots_book(b, it, h);
    }
    if (!slot_move_earlier(b, it, h, counts)) {
        b->partitions[counts].n_held++;
        plan_slots_count(b, h, counts);
    }
    return true;
}

/* Plans the earliest start that the jobs before it leave. */
static bool slot_hold_anew(struct plan_slots *b, const struct plan_request *it, struct plan_slot *h,
                           bool by_preemption)
{
    struct placement at = {0};
    bool others = plan_slots_suspend_plans_behind(b, it, by_preemption),
         found = plan_slots_earliest(b, it, WHEN_NEVER, &at);
    if (others)
        plan_slots_restore_behind(b);
    /* A higher tier was tried while it had a better slot: it may find one there now. */
    b->again = b->again || (h->lost == b->iteration && it->tier_at > 0);
    if (found)
        slot_hold(b, it, h, by_preemption,
                  by_preemption ? NO_PARTITION
                                : plan_slots_partition_left(b, it, it->choices[at.choice].partition),
                  &at);
    if (found && others)
        plan_slots_drop_displaced(b);
    placement_fini(&at);
    return found;
}

/* It has a slot in another tier: this request replaces it if it is earlier. Only upwards: if it moved down
 * as well, a job before it might take the room that frees and then the new slot, and so on in a circle. If
 * starts are planned again in each cycle the first one stays. */
static bool slot_hold_instead(struct plan_slots *b, const struct plan_request *it, struct plan_slot *h)
{
    struct placement at = {0};
    if (!b->opts.keep || it->tier_at > h->tier_at || !plan_slots_may_book(b, it))
        return false;
    uint64_t visited = plan_slot_suspend_own(b, h), promised = h->promised;
    int64_t latest = b->opts.predicts ? h->latest : 0;
    bool others = plan_slots_suspend_plans_behind(b, it, false),
         found = plan_slots_earliest(b, it, h->use.start, &at);
    if (others)
        plan_slots_restore_behind(b);
    plan_slot_restore_own(b, h, visited);
    if (found) {
        plan_slots_drop_counted(b, h);
        slot_hold(b, it, h, false, plan_slots_partition_left(b, it, it->choices[at.choice].partition), &at);
        h->promised = promised;
        h->latest = latest;
        plan_slots_drop_displaced(b);
    }
    placement_fini(&at);
    return found;
}

bool plan_slots_stay(struct plan_slots *b, struct plan_slot *h)
{
    if (slot_is_broken(b, h) || !plan_slots_has_left(b, h->counts))
        return false;
    plan_slots_visit(b, h);
    b->partitions[h->counts].n_held++;
    return true;
}

bool plan_slots_book(struct plan_slots *b, const struct plan_request *it, struct plan_slot *h)
{
    if (h->use.parts && h->tier_at != it->tier_at) {
        bool instead = slot_hold_instead(b, it, h);
        plan_slots_close(b, it);
        return instead;
    }
    if (h->use.parts)
        return slot_hold_again(b, it, h);
    bool found = plan_slots_may_book(b, it) && slot_hold_anew(b, it, h, false);
    plan_slots_close(b, it);
    return found;
}

/* What gives way to a preemptor. */
static void slot_mark_behind_preemptor(struct plan_slots *b, const struct plan_request *it)
{
    plan_slots_forget_suspended(b);
    list_for_each (other, &b->list, struct plan_slot, link)
        if (other->visited != b->iteration && (!other->by_preemption || other->tier < it->tier))
            plan_slots_mark_suspended(b, other);
}

void plan_slots_book_preemptor(struct plan_slots *b, const struct plan_request *it, struct plan_slot *h,
                               const struct placement *at)
{
    plan_slots_drop(b, h);
    slot_hold(b, it, h, true, NO_PARTITION, at);
    slot_mark_behind_preemptor(b, it);
    plan_slots_drop_displaced(b);
    plan_slots_close(b, it);
}

/* Its time has come and it cannot start, behind a job that waits in its partition: plans the same placement
 * from now on, if it is still free. Otherwise each cycle would check all entries for a use of it. */
static bool slot_put_off(struct plan_slots *b, const struct plan_request *it, struct plan_slot *h)
{
    struct placement at = {0};
    pool_suspend(b->pool, &h->use);
    bool same = plan_slots_earliest(b, it, when_plus(b->pool->now, 1), &at) && plan_slot_is_at(h, &at);
    pool_restore(b->pool, &h->use);
    if (same) {
        plan_slots_drop_for_same(b, h);
        slot_hold(b, it, h, true, NO_PARTITION, &at);
    }
    placement_fini(&at);
    return same;
}

/* Its victims leave nodes of this tier, but its start is planned in another. The preemptor's slot replaces
 * that start unless it is later. Dropping the start without a replacement would free room in each cycle
 * that the other tier takes again in the next one. */
static bool slot_rebook_instead(struct plan_slots *b, const struct plan_request *it, struct plan_slot *h)
{
    struct placement at = {0};
    uint64_t visited = plan_slot_suspend_own(b, h);
    bool others = plan_slots_suspend_plans_behind(b, it, true),
         found = plan_slots_earliest(b, it, when_plus(h->use.start, 1), &at);
    if (others)
        plan_slots_restore_behind(b);
    plan_slot_restore_own(b, h, visited);
    if (found) {
        plan_slots_drop_counted(b, h);
        slot_hold(b, it, h, true, NO_PARTITION, &at);
        plan_slots_drop_displaced(b);
    }
    placement_fini(&at);
    return found;
}

/* A preemption was taken back, and starts were planned as if that victim went: they are in the way of a
 * preemptor whose own victims do go. The newest give way first, until it has its room again. */
static bool slot_clear_way(struct plan_slots *b, const struct plan_request *it, struct plan_slot *h)
{
    if (h->use.start <= b->pool->now)
        return false;
    slot_mark_behind_preemptor(b, it);
    vec_for_each (&b->suspended, i)
        pool_suspend(b->pool, &b->suspended.v[i]->use);
    bool clear = plan_slot_is_valid(b, h);
    plan_slots_restore_behind(b);
    for (size_t i = b->suspended.n; clear && i-- > 0 && !plan_slot_is_valid(b, h);) {
        struct plan_slot *other = b->suspended.v[i];
        if (plan_slot_is_valid(b, other))
            continue;
        plan_slots_drop(b, other); /* those before it keep their places in the list */
        other->lost = b->iteration;
    }
    return clear;
}

bool plan_slots_rebook_preemptor(struct plan_slots *b, const struct plan_request *it, struct plan_slot *h)
{
    plan_slots_close(b, it);
    if (h->use.parts && h->tier_at != it->tier_at)
        return slot_rebook_instead(b, it, h);
    if (h->use.parts && h->by_preemption && (!slot_is_broken(b, h) || slot_clear_way(b, it, h))) {
        slot_move_earlier(b, it, h, NO_PARTITION);
        return true;
    }
    if (h->use.parts && h->by_preemption && slot_put_off(b, it, h))
        return true;
    plan_slots_drop(b, h);
    return slot_hold_anew(b, it, h, true);
}
