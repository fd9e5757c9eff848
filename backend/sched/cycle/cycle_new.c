/* cycle_new.c - the fast path for new jobs, if nothing else has happened.
 *
 * Nothing has come free, so every job that waited still waits. The new jobs are decided alone if the result
 * is certain to be that of a full cycle.
 */
#include <stdlib.h>

#include "backend/sched/cycle/cycle_internal.h"

#define NEW_JOBS_MAX 64    /* at a time */
#define ALL_MS       10000 /* limits allow more as time goes by: a full cycle so often */
/* Searches that are due wait for a moment without a new job, which should not wait for them, but no longer
 * than this. */
#define SEARCH_AT_LAST_MS (4 * SEARCH_AGAIN_MS)

static struct queue_key cycle_new_queue_key_of_entry(struct planner *p, struct job_class *g,
                                                     uint32_t tier_at, const struct pending_entry *u)
{
    uint32_t prio = job_class_priority(&p->queue, g, tier_at, u->job, u->submit_ms);
    return queue_key_of(g, tier_at, false, prio, u->submit_ms, u->order_id, u->order_index);
}

static bool cycle_new_names_partition_of(const struct job_class *g, const struct plan_slot *h)
{
    for (uint32_t i = 0; i < g->n_choices; i++)
        if (g->choices[i].partition == h->partition || g->choices[i].partition == h->counts)
            return true;
    return false;
}

/* Whether it may come before a job with a planned start in one of its partitions, which would then give way
 * to it: that changes that job's slot, and so on. below: slots of lower tiers are asked about as well. */
static bool cycle_new_may_precede_booked(struct planner *p, struct job_class *g,
                                         const struct pending_entry *u, bool below)
{
    struct queue_key mine = cycle_new_queue_key_of_entry(p, g, 0, u);
    list_for_each (h, &p->queue.slots.list, struct plan_slot, link) {
        const struct pending_entry *w = container_of(h, struct pending_entry, slot);
        bool is_lower = h->tier < g->tiers[0].tier;
        if (h->by_preemption && !is_lower) /* it gives way only to a higher tier */
            continue;
        if (is_lower ? !below : !cycle_new_names_partition_of(g, h))
            continue;
        struct queue_key its = cycle_new_queue_key_of_entry(p, w->class, h->tier_at, w);
        if (queue_key_before(&mine,
                             &its)) /* it may have been submitted earlier and have waited for its time */
            return true;
    }
    return false;
}

/* Whether a full cycle might give it what a planned start holds. It does not fit beside them. */
static bool cycle_new_may_take_a_slot(struct cycle *s, struct job_class *g, const struct pending_entry *u,
                                      const struct plan_request *it)
{
    bool one_tier = g->n_tiers == 1;
    return cycle_new_may_precede_booked(s->p, g, u, !one_tier) ||
           (one_tier && plan_slots_fits_above(&s->p->queue.slots, it, &s->place));
}

/* Whether the new starts bring a job with a planned start to a limit, or have its name. */
static bool cycle_new_closes_a_slot(struct cycle *s)
{
    list_for_each (h, &s->p->queue.slots.list, struct plan_slot, link) {
        struct pending_entry *u = container_of(h, struct pending_entry, slot);
        cycle_make_room(s, u->class->n_choices);
        if (!h->by_preemption && cycle_eligibility_of_booked(s, u) != REASON_NONE)
            return true;
    }
    return false;
}

/* Fills in the choices that limits allow, borrowed ones if there are no others. */
static enum limit_state cycle_new_leave_any(struct cycle_gets *x, struct plan_request *it)
{
    x->borrow = false;
    enum limit_state state = cycle_leave_choices(x, it);
    x->borrow = state == LIMIT_OVER_SOFT;
    return x->borrow ? cycle_leave_choices(x, it) : state;
}

/* Starts as much of it as fits beside all planned starts. False: it takes a full cycle. */
static bool cycle_start_new_job(struct cycle *s, struct job_class *g, struct pending_entry *u,
                                struct plan_request *it, struct cycle_gets *gets)
{
    struct planner *p = s->p;
    bool started = false;
    for (;;) {
        enum reason blocked_by = REASON_NONE;
        if (cycle_new_leave_any(gets, it) == LIMIT_OVER_HARD)
            blocked_by = limit_reason(&g->rest.verdict);
        else if (cycle_lacks_licences(s, g, u))
            blocked_by = REASON_LICENSES;
        if (gets->borrow && s->heap.n > 1) /* the other new jobs come first, whatever their queue key */
            return false;
        u->reason = blocked_by;
        if (blocked_by != REASON_NONE) {
            g->rest.now = blocked_by;
            it->n_choices = 0;
        }
        enum limit_state seen = gets->seen;
        if (!it->n_choices || !plan_slots_start_beside(&p->queue.slots, it, &s->place))
            break;
        if (it->choices[s->place.choice].demand->need.most_nodes)
            gets->seen = seen; /* what was refused was more than it needs */
        cycle_start(s, g, u);
        started = true;
        if (!u->count)
            break;
    }
    if (gets->seen != LIMIT_OK || (started && cycle_new_closes_a_slot(s)))
        return false;
    if (started && it->n_choices) /* other entries were checked in between */
        cycle_new_leave_any(gets, it);
    return true;
}

/* The new job starts, or waits behind all planned starts. False: it takes a full cycle. */
static bool cycle_take_new_job(struct cycle *s, struct pending_entry *u)
{
    struct planner *p = s->p;
    struct job_class *g = u->class;
    struct cycle_gets gets = {.s = s, .g = g, .u = u, .tier_at = ALL_TIERS};
    struct plan_request it = cycle_plan_request(g, 0);
    it.came = u->came;
    it.job = u->job;
    it.allows = limits_any(p->queue.limits) ? cycle_may_get : NULL;
    it.leaves = limits_any(p->queue.limits) || g->licensed ? cycle_leaves_promises : NULL;
    it.ctx = &gets;
    if (u->singleton || u->by_element || u->chosen || u->slot.use.parts || u->made_way_for || g->begun ||
        cycle_is_throttled(p, u) || (u->count > 1 && u->is_special) || !cycle_class_could_ever(p, g))
        return false;
    cycle_make_room(s, g->n_choices);
    vec_push(&p->tried, u->job);
    /* The entry before it does not fit either, unless it waits for something of its own. */
    const struct pending_entry *before =
        g->entries.next == &u->in_class ? NULL
                                        : container_of(u->in_class.prev, struct pending_entry, in_class);
    if (before && !before->is_special && before->count)
        return !before->slot.use.parts || (!cycle_partition_left(p, g->choices, g->n_choices) &&
                                           !cycle_new_may_precede_booked(p, g, u, true));
    g->rest.now = REASON_PRIORITY;
    if (!cycle_start_new_job(s, g, u, &it, &gets))
        return false;
    if (!u->count || !it.n_choices)
        return true;
    if (cycle_is_expected_earlier(p, g, u))
        return false;
    u->reason = cycle_reason_of_blocked(p, g, u);
    if (gets.borrow)
        return true;
    bool waits =
        !cycle_new_may_take_a_slot(s, g, u, &it) &&
        (!p->queue.may_preempt || p->preempt.searches_left || /* it is searched for with the others then */
         (!active_is_awaited(&p->queue, u->job) && preempt_finds_none(&p->preempt, u, &it)));
    if (waits && g->n_tiers > 1) /* each of its tiers may have a planned start */
        return gets.seen == LIMIT_OK && !cycle_partition_left(p, g->choices, g->n_choices);
    if (waits &&
        (plan_slots_book(&p->queue.slots, &it, &u->slot) ||
         cycle_reason_of_blocked(p, g, u) == REASON_RESOURCES)) /* there may be no start in sight at all */
        u->reason = REASON_RESOURCES;
    cycle_promise_note(p, u);
    return waits && gets.seen == LIMIT_OK;
}

static int cycle_new_by_queue_key(const void *pa, const void *pb)
{
    const struct cycle_item *a = pa, *b = pb;
    return queue_key_before(&a->key, &b->key) ? -1 : queue_key_before(&b->key, &a->key);
}

/* The new jobs, in the order of the queue. */
static bool cycle_line_up_new(struct cycle *s)
{
    struct planner *p = s->p;
    vec_for_each (&p->queue.entries.fresh, i) {
        struct pending_entry *u = idmap_get(&p->queue.entries.by_job, p->queue.entries.fresh.v[i]);
        bool again = false;
        for (size_t k = 0; k < i; k++)
            again = again || p->queue.entries.fresh.v[k] == p->queue.entries.fresh.v[i];
        if (!u || !u->class || again)
            continue;
        vec_push(&s->heap,
                 ((struct cycle_item){.u = u, .key = cycle_new_queue_key_of_entry(p, u->class, 0, u)}));
    }
    if (s->heap.n)
        qsort(s->heap.v, s->heap.n, sizeof *s->heap.v, cycle_new_by_queue_key);
    return s->heap.n > 0;
}

/* The victims of a preemptor have gone since the last full cycle, or it waits for them no longer. */
static bool cycle_new_has_lost_victims(const struct planner *p)
{
    list_for_each (h, &p->queue.slots.list, struct plan_slot, link) {
        const struct pending_entry *u = container_of(h, struct pending_entry, slot);
        if (h->by_preemption && !u->victims_gone && !active_is_awaited(&p->queue, u->job))
            return true;
    }
    return false;
}

/* The time of a planned start has come. A preemptor whose victims are still there cannot start; its start
 * is planned again with the others, a second later at the latest. */
static bool cycle_new_has_due_slot(const struct planner *p, int64_t since)
{
    list_for_each (h, &p->queue.slots.list, struct plan_slot, link) {
        const struct pending_entry *u = container_of(h, struct pending_entry, slot);
        bool waits = h->by_preemption && since < OVERDUE_MS && active_is_awaited(&p->queue, u->job);
        if (h->use.start <= p->queue.now.ms && !waits)
            return true;
    }
    return false;
}

/* Something may have changed for other jobs as well, or enough time has gone by. */
static bool cycle_new_has_to_look_at_all(const struct planner *p)
{
    const struct plan_opts *o = &p->queue.slots.opts;
    int64_t since = p->queue.now.ms - p->pace.full_cycle_ms;
    return !p->queue.prios.known || p->queue.changes.freed || p->queue.changes.lost || !o->keep ||
           !o->backfill ||
           ((p->preempt.searches_left || p->pace.reports_left) && since >= SEARCH_AT_LAST_MS) ||
           cycle_new_has_due_slot(p, since) ||
           (p->preempt.search_again > p->pace.full_cycle_ms &&
            p->preempt.search_again <= p->queue.now.ms) ||
           (limits_any(p->queue.limits) && since >= ALL_MS) || cycle_new_has_lost_victims(p);
}

bool cycle_take_new(struct cycle *s)
{
    struct planner *p = s->p;
    if (!p->queue.entries.fresh.n || p->queue.entries.fresh.n > NEW_JOBS_MAX ||
        cycle_new_has_to_look_at_all(p))
        return false;
    p->queue.prios.ctx.now = p->queue.now; /* new jobs have their ages of now, as all others */
    bool known = cycle_line_up_new(s) && (s->heap.n == 1 || !p->queue.slots.opts.shortest);
    for (size_t i = 0; i < s->heap.n && known; i++)
        known = cycle_take_new_job(s, s->heap.v[i].u);
    vec_clear(&s->heap);
    return known;
}
