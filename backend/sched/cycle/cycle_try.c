/* cycle_try.c - the head of a class is tried: it starts, gets a planned start, preempts, or waits. */
#include "backend/sched/cycle/cycle_internal.h"
#include "backend/sched/limits/limits.h"

bool cycle_shape_is_unfit(const struct planner *p, struct request_shape *sh)
{
    if (sh->unfit && plan_slots_freed_since(&p->queue.slots, sh->unfit_mark, &sh->demand, &sh->set->nodes))
        sh->unfit = false;
    sh->unfit_mark = plan_slots_freed_mark(&p->queue.slots);
    return sh->unfit;
}

struct plan_request cycle_plan_request(const struct job_class *g, uint32_t tier_at)
{
    const struct class_tier *e = &g->tiers[tier_at];
    return (struct plan_request){.choices = &g->choices[e->first],
                                 .n_choices = e->n,
                                 .tier_at = tier_at,
                                 .tier = e->tier,
                                 .deadline = g->deadline,
                                 .ends = g->ends};
}

static bool cycle_is_unfit(const struct planner *p, const struct job_class *g, uint32_t tier_at)
{
    const struct class_tier *e = &g->tiers[tier_at];
    for (uint32_t i = e->first; i < e->first + e->n; i++)
        if (!cycle_shape_is_unfit(p, g->shapes[i]))
            return false;
    return true;
}

static void cycle_mark_unfit(const struct planner *p, const struct job_class *g, uint32_t tier_at)
{
    const struct class_tier *e = &g->tiers[tier_at];
    for (uint32_t i = e->first; i < e->first + e->n; i++) {
        if (p->queue.slots.partitions[g->choices[i].partition].closed) /* it was not asked */
            continue;
        g->shapes[i]->unfit = true;
        g->shapes[i]->unfit_mark = plan_slots_freed_mark(&p->queue.slots);
    }
}

bool cycle_class_could_ever(struct planner *p, struct job_class *g)
{
    for (uint32_t i = 0; i < g->n_choices; i++)
        if (request_shape_could_ever(&p->queue, g->shapes[i]))
            return true;
    return false;
}

/* It could never run in the partitions of this tier, but could in another one. */
static bool cycle_try_is_idle_entry(struct planner *p, struct job_class *g, uint32_t tier_at)
{
    const struct class_tier *e = &g->tiers[tier_at];
    for (uint32_t i = e->first; i < e->first + e->n && g->n_tiers > 1; i++)
        if (request_shape_could_ever(&p->queue, g->shapes[i]))
            return false;
    return g->n_tiers > 1 && cycle_class_could_ever(p, g);
}

/* It has a planned start of its own in this tier. */
static bool cycle_try_holds_in(const struct pending_entry *u, uint32_t tier_at)
{
    return u->slot.use.parts && u->slot.tier_at == tier_at;
}

/* A limit in one tier does not hide that in another it waits for resources alone. */
static void cycle_try_set_reason(struct pending_entry *u, const struct cycle_item *t, enum reason why)
{
    bool was_open = t->tier_at && (u->reason == REASON_RESOURCES || u->reason == REASON_PRIORITY);
    bool is_open = why == REASON_RESOURCES || why == REASON_PRIORITY;
    if (!was_open || (is_open && u->reason == REASON_PRIORITY))
        u->reason = why;
}

void cycle_try_set_rest(struct job_class *g, uint32_t tier_at, enum reason why)
{
    if (!tier_at || g->rest.now != REASON_PRIORITY)
        g->rest.now = why;
}

/* It fits on none of its nodes that start its user's jobs for now. */
static bool cycle_try_is_avoided(struct planner *p, const struct job_class *g)
{
    bool avoids = false;
    for (uint32_t i = 0; i < g->n_choices; i++) {
        const struct request_shape *s = g->shapes[i];
        struct pool_parts parts = {.v = VEC_INIT};
        avoids = avoids || s->set->avoids;
        bool fits = !s->set->avoids ||
                    pool_place(&p->queue.empty, &s->demand, &s->set->nodes, p->queue.now.ms, 1, &parts);
        vec_fini(&parts.v);
        if (fits && s->ever != EVER_NO)
            return false;
    }
    return avoids;
}

enum reason cycle_reason_of_blocked(struct planner *p, const struct job_class *g,
                                    const struct pending_entry *u)
{
    bool first = u->slot.use.parts != NULL;
    if (cycle_try_is_avoided(p, g))
        return REASON_NODE_NOT_AVAIL;
    for (uint32_t i = 0; i < g->n_choices; i++) {
        uint32_t *blocked = &p->first_blocked[g->choices[i].partition];
        if (!*blocked || !idmap_get(&p->queue.entries.by_job, *blocked)) /* or it has gone since */
            *blocked = u->job;
        first = first || *blocked == u->job;
    }
    return first ? REASON_RESOURCES : REASON_PRIORITY;
}

static enum outcome cycle_try_wait_for_place(struct cycle *s, struct cycle_item *t, struct pending_entry *u,
                                             const struct plan_request *it)
{
    struct planner *p = s->p;
    if (!cycle_class_could_ever(p, t->g)) {
        t->g->rest.now = u->reason = REASON_BAD_CONSTRAINTS;
        return CLASS_WAITS;
    }
    if (cycle_try_is_avoided(p, t->g)) {
        t->g->rest.now = u->reason = REASON_NODE_NOT_AVAIL;
        return CLASS_WAITS;
    }
    cycle_try_set_reason(u, t, cycle_reason_of_blocked(p, t->g, u));
    if (t->borrow || (u->slot.by_preemption && u->slot.tier_at != t->tier_at)) {
        plan_slots_close(&p->queue.slots, it);
        return CLASS_WAITS;
    }
    if (p->queue.may_preempt && preempt_try(&p->preempt, u, it)) {
        u->reason = REASON_RESOURCES;
        return ENTRY_WAITS;
    }
    bool had_slot = u->slot.use.parts && !u->slot.by_preemption; /* that of a preemptor is not among them */
    uint64_t nth = u->slot.nth;
    if (!plan_slots_book(&p->queue.slots, it, &u->slot) && !u->slot.use.parts)
        return CLASS_WAITS; /* else it has its slot in another tier, and the next of the class may get one
                               here */
    if (!had_slot)
        cycle_promise_note(p, u);
    else if (u->slot.nth != nth)
        cycle_promise_move(p, u);
    u->reason = REASON_RESOURCES;
    return ENTRY_WAITS;
}

bool cycle_partition_left(const struct planner *p, const struct plan_choice *v, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        if (p->queue.slots.partitions[v[i].partition].n_held < p->queue.slots.opts.depth)
            return true;
    return false;
}

/* With a slot left in its partition, slots of entries behind it are no obstacle. */
static bool cycle_try_may_push_aside(const struct planner *p, const struct plan_request *it)
{
    return p->queue.slots.opts.keep && cycle_partition_left(p, it->choices, it->n_choices);
}

/* Limits allow what it asks for, but not what it would get. */
static enum outcome cycle_try_wait_for_limit(struct cycle_item *t, struct pending_entry *u,
                                             enum limit_state seen)
{
    if (seen == LIMIT_OVER_SOFT && !t->borrow) {
        t->borrow = true;
        return CLASS_GOES_ON;
    }
    /* If no limit is broken, it is a licence that a planned start needs. */
    bool by_limit = t->g->rest.verdict.state != LIMIT_OK;
    enum reason why = by_limit ? limit_reason(&t->g->rest.verdict) : REASON_LICENSES;
    cycle_try_set_rest(t->g, t->tier_at, why);
    cycle_try_set_reason(u, t, why);
    return CLASS_WAITS;
}

/* Limits forbid what it would get now, or allow it borrowed; o is the outcome so far. It has an allowed
 * planned start, or waits for the limit; borrowed it may still start. */
static enum outcome cycle_try_wait_for_less(struct cycle_item *t, struct pending_entry *u,
                                            enum limit_state seen, enum outcome o)
{
    if (!cycle_try_holds_in(u, t->tier_at))
        return cycle_try_wait_for_limit(t, u, seen);
    u->slot.limited = true;
    if (seen != LIMIT_OVER_SOFT || t->borrow || u->slot.by_preemption)
        return o;
    t->borrow = true;
    return CLASS_GOES_ON;
}

/* Extra slots of arrays in a lower tier are no obstacle. */
static bool cycle_try_start_before_extra_slots(struct cycle *s, struct pending_entry *u,
                                               const struct plan_request *it)
{
    struct planner *p = s->p;
    if (!extra_slots_suspend_lower(&p->preempt, u, it))
        return false;
    struct plan_request few = *it; /* more nodes would cost more of these elements their starts */
    few.fewest = true;
    bool starts = plan_slots_start(&p->queue.slots, &few, &u->slot, &s->place);
    extra_slots_restore_lower(&p->preempt, starts ? &s->place : NULL);
    return starts;
}

/* A limit or a licence keeps the job back now. Its planned start stays if the limits allow it at that time;
 * a job over a soft limit is tried again behind all other jobs. */
static enum outcome cycle_try_stay(struct cycle *s, struct cycle_item *t, struct pending_entry *u,
                                   enum limit_state limit)
{
    struct planner *p = s->p;
    bool stays = cycle_try_holds_in(u, t->tier_at) && !u->slot.by_preemption &&
                 (t->borrow || plan_slots_stay(&p->queue.slots, &u->slot));
    if (limit == LIMIT_OVER_SOFT && !t->borrow) {
        t->borrow = true;
        if (cycle_try_holds_in(u, t->tier_at) && !stays)
            plan_slots_drop(&p->queue.slots, &u->slot);
        return CLASS_GOES_ON;
    }
    enum reason why = limit == LIMIT_OVER_HARD ? limit_reason(&t->g->rest.verdict) : REASON_LICENSES;
    cycle_try_set_rest(t->g, t->tier_at, why);
    cycle_try_set_reason(u, t, why);
    return stays ? ENTRY_WAITS : CLASS_WAITS;
}

/* Jobs before it may have used up the limits that it needs at the time of its start. */
static void cycle_try_drop_broken_promise(struct cycle *s, const struct cycle_item *t,
                                          struct pending_entry *u)
{
    if (cycle_try_holds_in(u, t->tier_at) && !u->slot.by_preemption && !t->borrow &&
        !cycle_promise_stands(s, u, true))
        plan_slots_drop(&s->p->queue.slots, &u->slot);
}

static enum outcome cycle_try_try_head(struct cycle *s, struct cycle_item *t, struct pending_entry *u)
{
    struct planner *p = s->p;
    struct job_class *g = t->g;
    enum reason blocked_by = cycle_eligibility(s, u);
    vec_push(&p->tried, u->job);
    if (blocked_by != REASON_NONE) {
        u->reason = blocked_by;
        extra_slots_drop(&p->queue, u);
        plan_slots_drop(&p->queue.slots, &u->slot);
        return ENTRY_WAITS;
    }
    struct plan_request it = cycle_plan_request(g, t->tier_at);
    it.came = u->came;
    it.job = u->job;
    it.promised = cycle_try_holds_in(u, t->tier_at) && !u->slot.by_preemption ? u->slot.promised : 0;
    struct cycle_gets gets = {.s = s, .g = g, .u = u, .tier_at = t->tier_at, .borrow = t->borrow};
    it.by_preemptor = u->slot.use.parts && u->slot.by_preemption && !active_is_awaited(&p->queue, u->job);
    it.ctx = &gets;
    it.allows = limits_any(p->queue.limits) ? cycle_may_get : NULL;
    it.leaves = limits_any(p->queue.limits) || g->licensed ? cycle_leaves_promises : NULL;
    cycle_try_drop_broken_promise(s, t, u);
    g->rest.verdict.state = LIMIT_OK;
    enum limit_state limit = cycle_leave_choices(&gets, &it);
    if ((limit == LIMIT_OVER_SOFT && !t->borrow) || limit == LIMIT_OVER_HARD ||
        cycle_lacks_licences(s, g, u))
        return cycle_try_stay(s, t, u, limit);
    bool tried = !cycle_is_unfit(p, g, t->tier_at) || u->slot.use.parts || cycle_try_may_push_aside(p, &it);
    it.fewest = u->extra.n > 0; /* the rest of what was preempted for its array is for the other elements */
    extra_slots_suspend(&p->preempt, u, true);
    bool starts =
        tried && (plan_slots_start(&p->queue.slots, &it, &u->slot, &s->place) ||
                  cycle_try_start_before_extra_slots(s, u, &it) || cycle_start_expected(s, t, u, &it));
    extra_slots_suspend(&p->preempt, u, false);
    if (starts) {
        u->reason = REASON_NONE;
        extra_slots_drop(&p->queue, u); /* it may have taken one of them; the others are planned again */
        cycle_start(s, g, u);
        return u->count ? CLASS_GOES_ON : ENTRY_WAITS;
    }
    if (t->borrow &&
        cycle_try_holds_in(u,
                           t->tier_at)) { /* then its own slot; the next entry is within the limits again */
        t->borrow = false;
        u->reason = REASON_RESOURCES;
        return ENTRY_WAITS;
    }
    if (gets.seen != LIMIT_OK && !plan_slots_may_book(&p->queue.slots, &it))
        return cycle_try_wait_for_limit(t, u, gets.seen);
    if (gets.seen == LIMIT_OK && it.n_choices == g->tiers[t->tier_at].n && g->deadline == WHEN_NEVER &&
        !g->ends && !cycle_fits_briefly(p, &it)) /* else it may be just this one */
        cycle_mark_unfit(p, g, t->tier_at);
    enum outcome o = cycle_try_wait_for_place(s, t, u, &it);
    return gets.seen == LIMIT_OK ? o : cycle_try_wait_for_less(t, u, gets.seen, o);
}

/* Of several tiers, this one has nothing to offer to the entry. */
static bool cycle_try_is_for_nothing(struct cycle *s, const struct cycle_item *t,
                                     const struct pending_entry *u, enum outcome *ret)
{
    const struct class_tier *e = &t->g->tiers[t->tier_at];
    if (t->g->n_tiers == 1)
        return false;
    *ret = ENTRY_WAITS;
    /* A preemptor starts only in tiers in which it may preempt its victims. */
    if (u->slot.by_preemption && u->slot.tier_at < t->tier_at)
        return true;
    bool here = !u->chosen;
    for (uint32_t i = e->first; i < e->first + e->n; i++)
        here = here || u->chosen == t->g->shapes[i];
    if (!here) /* its tasks stay in one partition */
        return true;
    *ret = CLASS_WAITS;
    return cycle_try_is_idle_entry(s->p, t->g, t->tier_at);
}

enum outcome cycle_try_head(struct cycle *s, struct cycle_item *t)
{
    struct pending_entry *u = cycle_item_head(t->g, t->tier_at);
    enum outcome o;
    if (cycle_try_is_for_nothing(s, t, u, &o))
        return o;
    preemptor_charge_remove(&s->p->preempt, u);
    o = cycle_try_try_head(s, t, u);
    preemptor_charge_add(&s->p->preempt, u);
    return o;
}

/* Whether a search for it is futile; if that is not known it is noted for the preempting iteration. */
static enum passed cycle_try_pass_without_candidates(struct planner *p, struct pending_entry *u,
                                                     const struct plan_request *it)
{
    if (!p->queue.may_preempt)
        return PASSED_AS_FUTILE;
    if (active_is_awaited(&p->queue, u->job))
        return NOT_PASSED;
    if (!p->preempt.searching && p->preempt.search_pays)
        return PASSED_AS_UNFIT;
    bool vain = preempt_is_futile(&p->preempt, u, it);
    p->preempt.search_pays = p->preempt.search_pays || !vain;
    return vain ? PASSED_AS_FUTILE : p->preempt.searching ? NOT_PASSED : PASSED_AS_UNFIT;
}

/* A borrower that does not fit: it gets no slot and preempts no job. */
static void cycle_try_leave_borrower(struct planner *p, const struct job_class *g, struct pending_entry *u)
{
    if (cycle_reason_of_blocked(p, g, u) != REASON_RESOURCES)
        return;
    u->reason = REASON_RESOURCES;
    vec_push(&p->tried, u->job);
}

enum passed cycle_pass_over(struct cycle *s, struct cycle_item *t)
{
    struct planner *p = s->p;
    struct job_class *g = t->g;
    struct pending_entry *u = cycle_item_head(g, t->tier_at);
    if (u->slot.use.parts || u->extra.n || u->is_special || u->made_way_for || u->chosen ||
        !p->queue.slots.opts.backfill)
        return NOT_PASSED;
    if (cycle_try_is_idle_entry(p, g, t->tier_at))
        return PASSED_AS_UNFIT;
    enum limit_state limit =
        limits_any(p->queue.limits) ? cycle_limit_of_class(p, g, t->tier_at) : LIMIT_OK;
    if (limit == LIMIT_OVER_HARD || cycle_lacks_licences(s, g, u)) {
        cycle_try_set_rest(g, t->tier_at,
                           limit == LIMIT_OVER_HARD ? limit_reason(&g->rest.verdict) : REASON_LICENSES);
        return PASSED_BY_LIMIT;
    }
    if (limit == LIMIT_OVER_SOFT && !t->borrow) {
        t->borrow = true;
        return PASSED_AGAIN;
    }
    if (!cycle_is_unfit(p, g, t->tier_at))
        return NOT_PASSED;
    if (t->borrow) {
        cycle_try_leave_borrower(p, g, u);
        return PASSED_AS_UNFIT;
    }
    struct plan_request it = cycle_plan_request(g, t->tier_at);
    it.came = u->came;
    it.job = u->job;
    return cycle_partition_left(p, it.choices, it.n_choices) ? NOT_PASSED
                                                             : cycle_try_pass_without_candidates(p, u, &it);
}
