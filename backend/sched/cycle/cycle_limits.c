/* cycle_limits.c - eligibility and limits that count what the cycle has started. */
#include <stdlib.h>

#include "backend/sched/cycle/cycle_internal.h"
#include "src/model/dep.h"

bool cycle_is_throttled(const struct planner *p, const struct pending_entry *u)
{
    return !preempt_throttle_left(&p->preempt, queue_job(&p->queue, u->job));
}

/* In this cycle: a job of the same name, or another element of its array. */
static bool cycle_limits_same_name_has_started(const struct planner *p, const struct pending_entry *u)
{
    const struct job *j = queue_job(&p->queue, u->job);
    vec_for_each (&p->queue.active.started, i) {
        const struct job *other = queue_job(&p->queue, p->queue.active.started.v[i]->job);
        bool own_task = u->chosen && p->queue.active.started.v[i]->job == u->job;
        if (!own_task && other->uid == j->uid && str_eq(other->req.name, j->req.name))
            return true;
    }
    return false;
}

/* Goes on to the next element whose dependencies are met. */
static bool cycle_limits_find_element(const struct planner *p, struct pending_entry *u, const struct job *j)
{
    struct deps d;
    uint32_t n = job_pending_elements(j);
    if (dep_parse(j->req.dependency, &d, NULL) < 0)
        return false;
    while (u->at < n && dep_state(p->queue.view->model, j, &d, cycle_nth_element(j, u->at), p->queue.now,
                                  NULL) != DEP_MET)
        u->at++;
    deps_fini(&d);
    return u->at < n;
}

/* Its preemptor goes first: a planner that is newer than the preemption has no slot for that one. In the
 * next iteration this job has its turn, whatever has become of the preemptor. */
static bool cycle_limits_makes_way(struct cycle *s, struct pending_entry *u)
{
    bool waits = !s->had_iteration && planner_makes_way_for(s->p, u) != 0;
    s->made_way = s->made_way || waits;
    if (!waits)
        u->made_way_for = 0;
    return waits;
}

enum reason cycle_eligibility(struct cycle *s, struct pending_entry *u)
{
    if (u->made_way_for && cycle_limits_makes_way(s, u))
        return REASON_PRIORITY;
    if (cycle_is_throttled(s->p, u))
        return REASON_ARRAY_LIMIT;
    if (!u->singleton && !u->by_element)
        return REASON_NONE;
    const struct job *j = queue_job(&s->p->queue, u->job);
    if ((u->singleton && cycle_limits_same_name_has_started(s->p, u)) ||
        (u->by_element && !cycle_limits_find_element(s->p, u, j)))
        return REASON_DEPENDENCY;
    return REASON_NONE;
}

void cycle_make_room(struct cycle *s, uint32_t n)
{
    if (n <= s->n_room)
        return;
    s->choices = xreallocarray(s->choices, n, sizeof *s->choices);
    s->positions = xreallocarray(s->positions, n, sizeof *s->positions);
    s->n_room = n;
}

/* A preemptor counts as started with what is planned for it: it is not borrowed because more has started
 * since. With more than that, as elsewhere on a whole node, it is like any other job. */
static enum limit_state cycle_limits_check_limits(const struct cycle_gets *x,
                                                  const struct limit_request *request,
                                                  struct limit_verdict *v)
{
    enum limit_state state = limits_check(x->s->p->queue.limits, request, v);
    bool counted = state == LIMIT_OVER_SOFT && preemptor_charge_covers(x->u, request);
    return counted ? LIMIT_OK : state;
}

enum limit_state cycle_leave_choices(struct cycle_gets *x, struct plan_request *ret)
{
    struct cycle *s = x->s;
    struct job_class *g = x->g;
    const struct pending_entry *u = x->u;
    enum limit_state best = LIMIT_OVER_HARD;
    bool left_out = false;
    bool all = x->tier_at == ALL_TIERS;
    const struct class_tier *e = &g->tiers[all ? 0 : x->tier_at];
    uint32_t first = all ? 0 : e->first, end = all ? g->n_choices : e->first + e->n;
    ret->n_choices = 0;
    for (uint32_t i = first; i < end; i++) {
        struct limit_verdict v;
        struct limit_request request = g->requests[i];
        if (u->chosen && u->chosen != g->shapes[i]) /* its tasks stay in one partition */
            continue;
        if (!request_shape_could_ever(&s->p->queue, g->shapes[i]) &&
            cycle_class_could_ever(s->p, g)) /* no help if it is open */
            continue;
        request.jobs = u->chosen ? 0 : request.jobs;
        request.nodes = u->chosen ? 0 : request.nodes;
        enum limit_state state = cycle_limits_check_limits(x, &request, &v);
        if (state != LIMIT_OK && (ret->n_choices == 0 || state < best))
            g->rest.verdict = v;
        best = state < best ? state : best;
        left_out = left_out || (state == LIMIT_OVER_SOFT && !x->borrow);
        if (state == LIMIT_OVER_HARD || (state == LIMIT_OVER_SOFT && !x->borrow))
            continue;
        s->positions[ret->n_choices] = (struct choice_position){i, state == LIMIT_OVER_SOFT};
        s->choices[ret->n_choices] = g->choices[i];
        if (u->chosen)
            s->choices[ret->n_choices].len = s->choices[ret->n_choices].len_min = u->chosen_len;
        ret->n_choices++;
    }
    if (left_out && best == LIMIT_OK)
        x->seen = LIMIT_OVER_SOFT;
    ret->choices = s->choices;
    ret->deadline = g->deadline;
    ret->ends = g->ends;
    return best;
}

bool cycle_may_get(void *ctx, uint32_t choice, const struct pool_parts *parts, int64_t len)
{
    struct cycle_gets *x = ctx;
    struct choice_position *at = &x->s->positions[choice];
    struct limit_request request = cycle_request_at(x->s->p, x->g, x->u, at->at, parts, len);
    struct limit_verdict v;
    enum limit_state state = cycle_limits_check_limits(x, &request, &v);
    at->soft = state == LIMIT_OVER_SOFT;
    if (state == LIMIT_OK || (state == LIMIT_OVER_SOFT && x->borrow))
        return true;
    if (x->seen == LIMIT_OK || state < x->seen) {
        x->g->rest.verdict = v;
        x->seen = state;
    }
    return false;
}

enum limit_state cycle_limit_of_class(struct planner *p, struct job_class *g, uint32_t tier_at)
{
    const struct class_tier *e = &g->tiers[tier_at];
    enum limit_state best = LIMIT_OVER_HARD;
    for (uint32_t i = e->first; i < e->first + e->n && best != LIMIT_OK; i++) {
        struct limit_verdict v;
        enum limit_state state = limits_check(p->queue.limits, &g->requests[i], &v);
        if (state != LIMIT_OK && (i == e->first || state < best))
            g->rest.verdict = v;
        best = state < best ? state : best;
    }
    return best;
}

bool cycle_lacks_licences(const struct cycle *s, const struct job_class *g, const struct pending_entry *u)
{
    const struct model *m = s->p->queue.view->model;
    return g->licensed && !u->chosen &&
           (g->never_licensed || !licence_list_fits(&s->p->preempt.licences, m, &g->licences));
}

enum reason cycle_eligibility_of_booked(struct cycle *s, struct pending_entry *u)
{
    struct job_class *g = u->class;
    enum reason why = cycle_eligibility(s, u);
    g->rest.verdict.state = LIMIT_OK;
    if (why != REASON_NONE || cycle_promise_stands(s, u, false))
        return why;
    return g->rest.verdict.state == LIMIT_OK ? REASON_LICENSES : limit_reason(&g->rest.verdict);
}

bool cycle_drop_ineligible(struct cycle *s, struct plan_slot *h)
{
    struct planner *p = s->p;
    struct pending_entry *u = container_of(h, struct pending_entry, slot);
    bool asked = !h->by_preemption && h->visited == p->queue.slots.iteration && !u->noted;
    enum reason why = asked ? cycle_eligibility_of_booked(s, u) : REASON_NONE;
    if (why == REASON_NONE)
        return false;
    plan_slots_drop(&p->queue.slots, h);
    u->reason = why;
    return true;
}
