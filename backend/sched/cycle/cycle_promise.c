/* cycle_promise.c - checks limits and licences at the times of planned starts.
 *
 * A running job counts in limits and licences until its time limit; a planned start counts from its start
 * to its end. No start and no other planned start may use up what it needs at that time. The planned starts
 * that count here are those whose nodes are kept. Planned starts of preemptors count at once
 * (preemptor_charges.c).
 */
#include <stdlib.h>

#include "backend/sched/cycle/cycle_internal.h"

static uint32_t promise_choice(const struct pending_entry *u)
{
    uint32_t at = 0;
    while (at + 1 < u->class->n_choices && u->class->choices[at].partition != u->slot.partition)
        at++;
    return at;
}

/* What the job will have when it starts. */
static struct limit_request promise_request(const struct planner *p, const struct pending_entry *u)
{
    const struct plan_slot *h = &u->slot;
    struct pool_parts parts = {.v = {.v = h->use.parts, .n = h->use.n_parts}}; /* of the slot */
    return cycle_request_at(p, u->class, u, promise_choice(u), &parts,
                            when_minus(h->use.end, h->use.start));
}

static bool promise_counts(const struct pending_entry *u)
{
    return u->slot.use.parts && !u->slot.by_preemption && u->class;
}

void cycle_promise_note(struct planner *p, const struct pending_entry *u)
{
    if (!promise_counts(u))
        return;
    if (u->class->licensed) {
        vec_push(&p->licensed.jobs, u->job);
        p->preempt.licence_changes++;
    }
    if (!limits_any(p->queue.limits))
        return;
    struct limit_request request = promise_request(p, u);
    limits_note_plan(p->queue.limits, &request, u->job, p->queue.slots.iteration);
}

void cycle_promise_move(struct planner *p, const struct pending_entry *u)
{
    if (promise_counts(u) && u->class->licensed)
        p->preempt.licence_changes++;
    if (limits_any(p->queue.limits) && promise_counts(u))
        limits_move_plan(p->queue.limits, u->class->requests[promise_choice(u)].who, u->job,
                         p->queue.slots.iteration);
}

void cycle_promises_begin(struct planner *p)
{
    vec_clear(&p->licensed.jobs);
    list_for_each (h, &p->queue.slots.list, struct plan_slot, link)
        cycle_promise_note(p, container_of(h, struct pending_entry, slot));
}

/* --- promises against one start --- */

struct promise_beside {
    const struct pending_entry *u;
    struct limit_request request;
};

struct promise_check {
    struct planner *p;
    struct job_class *g;
    const struct pending_entry *u; /* the entry that would start; NULL: a job that is not in the queue: */
    const struct job *job;
    struct limit_request request;
    uint32_t tier; /* that it would start in: starts planned in lower ones are not kept from it */
    int64_t start, end;
    bool visited_only; /* only entries visited in this iteration: the jobs before it */
    VEC(struct promise_beside) beside;
    struct limit_sweep sweep;
};

static void promise_add_beside(struct promise_check *x, const struct pending_entry *w)
{
    const struct planner *p = x->p;
    const struct plan_slot *h = &w->slot;
    if (w == x->u || !promise_counts(w) || h->tier < x->tier || h->use.start >= x->end ||
        h->use.end <= x->start)
        return;
    bool there =
        x->visited_only ? h->visited == p->queue.slots.iteration : plan_slots_is_there(&p->queue.slots, h);
    uint32_t who = w->class->requests[promise_choice(w)].who;
    if (there &&
        (limits_share(p->queue.limits, x->request.who, who) || (x->g->licensed && w->class->licensed)))
        vec_push(&x->beside, ((struct promise_beside){.u = w, .request = promise_request(p, w)}));
}

static int promise_by_booking(const void *pa, const void *pb)
{
    const struct promise_beside *a = pa, *b = pb;
    return a->u->slot.nth < b->u->slot.nth ? -1 : a->u->slot.nth > b->u->slot.nth;
}

/* In the order of the book, each once. */
static void promise_sort_beside(struct promise_check *x)
{
    size_t n = 0;
    if (x->beside.n)
        qsort(x->beside.v, x->beside.n, sizeof *x->beside.v, promise_by_booking);
    for (size_t i = 0; i < x->beside.n; i++)
        if (!n || x->beside.v[n - 1].u != x->beside.v[i].u)
            x->beside.v[n++] = x->beside.v[i];
    x->beside.n = n;
}

static void promise_add_beside_of(struct promise_check *x, const uint32_t *jobs, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        const struct pending_entry *w = idmap_get(&x->p->queue.entries.by_job, jobs[i]);
        if (w)
            promise_add_beside(x, w);
    }
}

/* Jobs share limits or licences. Each limit lists the jobs with planned starts that count against it, if an
 * iteration has recorded them; the planner lists those with licences. */
static void promise_find_beside(struct promise_check *x)
{
    const struct planner *p = x->p;
    uint32_t *jobs;
    if (!x->u) {
        list_for_each (h, &p->queue.slots.list, struct plan_slot, link)
            promise_add_beside(x, container_of(h, struct pending_entry, slot));
        return;
    }
    if (x->g->licensed)
        promise_add_beside_of(x, p->licensed.jobs.v, p->licensed.jobs.n);
    if (limits_any(p->queue.limits)) {
        size_t n = limits_planners(p->queue.limits, x->request.who, p->queue.slots.iteration, &jobs);
        promise_add_beside_of(x, jobs, n);
        free(jobs);
    }
    promise_sort_beside(x);
}

static int64_t promise_end_of(void *ctx, uint32_t job)
{
    const struct planner *p = ctx;
    const struct active_job *r = idmap_get(&p->queue.active.by_job, job);
    int64_t end = 0;
    if (r && r->away) /* a victim of the search, which has gone by the start that is looked for */
        return p->queue.now.ms;
    for (size_t i = 0; r && i < r->v.n; i++)
        end = r->v.v[i]->use.parts && r->v.v[i]->use.end > end ? r->v.v[i]->use.end : end;
    if (end)
        return end;
    /* A step job keeps its licences between two of its tasks. */
    const struct job *j = queue_job(&p->queue, job);
    return j ? active_end_of(&p->queue, j) : WHEN_NEVER;
}

static void promise_sweep_planned(struct limit_sweep *s, const struct pending_entry *w,
                                  const struct limit_request *request)
{
    const struct job_class *g = w->class;
    vec_push(&s->planned, ((struct sweep_use){.request = *request,
                                              .limited = true,
                                              .licences = g->licensed ? &g->licences : NULL,
                                              .start = w->slot.use.start,
                                              .end = w->slot.use.end}));
}

/* Starts of this cycle, and what preemptors are promised, as they count now. */
static void promise_sweep_starts(const struct planner *p, struct limit_sweep *s)
{
    vec_for_each (&p->queue.active.started, i) {
        const struct tentative *t = p->queue.active.started.v[i];
        vec_push(&s->gone,
                 ((struct sweep_use){
                     .request = t->request, .limited = true, .licences = t->licences, .end = t->use.end}));
    }
    vec_for_each (&p->preempt.preemptor_charges, i) {
        const struct preemptor_charge *c = &p->preempt.preemptor_charges.v[i];
        const struct pending_entry *w = idmap_get(&p->queue.entries.by_job, c->job);
        vec_push(&s->gone,
                 ((struct sweep_use){.request = c->request,
                                     .limited = true,
                                     .licences = c->licensed && w && w->class ? &w->class->licences : NULL,
                                     .end = c->end}));
    }
}

static void promise_sweep_licences(struct planner *p, struct limit_sweep *s)
{
    idmap_for_each (&p->queue.active.licensed, slot) {
        const struct held_licences *held = slot->value;
        vec_push(&s->gone, ((struct sweep_use){.licences = &held->list,
                                               .end = promise_end_of(p, (uint32_t)slot->id)}));
    }
}

/* The limits refuse that time: says which one. */
static void promise_set_verdict(struct promise_check *x, int64_t t)
{
    struct limit_verdict v;
    VEC(struct limit_request) then = VEC_INIT, gone = VEC_INIT;
    vec_for_each (&x->sweep.planned, i)
        if (x->sweep.planned.v[i].start <= t && x->sweep.planned.v[i].end > t)
            vec_push(&then, x->sweep.planned.v[i].request);
    vec_for_each (&x->sweep.gone, i)
        if (x->sweep.gone.v[i].end <= t && x->sweep.gone.v[i].limited)
            vec_push(&gone, x->sweep.gone.v[i].request);
    struct limit_future f = {.t = t,
                             .planned = then.v,
                             .n_planned = then.n,
                             .gone = gone.v,
                             .n_gone = gone.n,
                             .end_of = promise_end_of,
                             .ctx = x->p};
    if (!limits_allow_at(x->p->queue.limits, &x->request, &f, &v))
        x->g->rest.verdict = v;
    vec_fini(&then);
    vec_fini(&gone);
}

/* More is used only at the times when one of them starts. */
static void promise_sweep_beside(struct promise_check *x)
{
    vec_push(&x->sweep.times, ((struct sweep_time){.t = x->start}));
    vec_for_each (&x->beside, i) {
        const struct promise_beside *o = &x->beside.v[i];
        promise_sweep_planned(&x->sweep, o->u, &o->request);
        if (o->u->slot.use.start > x->start)
            vec_push(&x->sweep.times, ((struct sweep_time){o->u->slot.use.start, i + 1}));
    }
    limit_sweep_order(&x->sweep);
}

static bool promise_allows_times(struct promise_check *x)
{
    struct planner *p = x->p;
    const struct job_class *g = x->g;
    bool licensed = g->licensed && !(x->u && x->u->chosen);
    x->sweep.end_of = promise_end_of;
    x->sweep.ctx = p;
    promise_sweep_beside(x);
    promise_sweep_starts(p, &x->sweep);
    size_t limit = limit_sweep_refused(&x->sweep, p->queue.limits, &x->request), licence = SIZE_MAX;
    if (licensed && g->never_licensed) {
        licence = 0;
    } else if (licensed) {
        promise_sweep_licences(p, &x->sweep);
        licence = limit_sweep_licences_refused(&x->sweep, p->queue.view->model, &p->preempt.licences,
                                               &g->licences);
    }
    if (limit != SIZE_MAX && limit <= licence)
        promise_set_verdict(x, limit ? x->beside.v[limit - 1].u->slot.use.start : x->start);
    p->queue.pool.cost += x->sweep.planned.n + x->sweep.gone.n;
    limit_sweep_fini(&x->sweep);
    return limit == SIZE_MAX && licence == SIZE_MAX;
}

static bool promise_allows(struct promise_check *x, bool always)
{
    promise_find_beside(x);
    bool allows = (!x->beside.n && !always) || promise_allows_times(x);
    if (!allows)
        x->g->rest.promised_to = x->beside.n ? x->beside.v[0].u->job : 0;
    vec_fini(&x->beside);
    return allows;
}

bool cycle_leaves_promises(void *ctx, uint32_t choice, const struct pool_parts *parts, int64_t start,
                           int64_t len)
{
    struct cycle_gets *x = ctx;
    struct planner *p = x->s->p;
    uint32_t at = x->s->positions[choice].at;
    struct promise_check c = {.p = p,
                              .g = x->g,
                              .u = x->u,
                              .job = queue_job(&p->queue, x->u->job),
                              .request = cycle_request_at(p, x->g, x->u, at, parts, len),
                              .tier = x->g->tiers[job_class_tier_of(x->g, at)].tier,
                              .start = start,
                              .end = when_plus(start, len)};
    if (!x->g->licensed &&
        limits_leave_plans(p->queue.limits, &c.request, p->queue.slots.iteration, promise_counts(x->u)))
        return true;
    if (promise_allows(&c, false))
        return true;
    x->seen = LIMIT_OVER_HARD;
    return false;
}

bool planner_leaves_promises(struct planner *p, struct job_class *g, const struct job *j, uint32_t choice,
                             const struct pool_parts *parts, int64_t len)
{
    int64_t start = p->queue.now.ms;
    struct promise_check c = {.p = p,
                              .g = g,
                              .job = j,
                              .request = g->requests[choice],
                              .tier = g->tiers[job_class_tier_of(g, choice)].tier,
                              .start = start,
                              .end = when_plus(start, len)};
    limit_request_set_placement(parts, len, &c.request);
    return promise_allows(&c, false);
}

/* --- all promises at once --- */

/* Mostly all planned starts together fit beside what is used, and then each of them stands. */
static void promise_sweep_jobs(struct planner *p, const uint32_t *jobs, size_t n, struct limit_sweep *s)
{
    struct idmap seen = {0};
    for (size_t i = 0; i < n; i++) {
        const struct pending_entry *w = idmap_get(&p->queue.entries.by_job, jobs[i]);
        if (!w || !promise_counts(w) || idmap_get(&seen, jobs[i]))
            continue;
        idmap_set(&seen, jobs[i], s);
        struct limit_request request = promise_request(p, w);
        promise_sweep_planned(s, w, &request);
    }
    idmap_fini(&seen);
    s->end_of = promise_end_of;
    s->ctx = p;
    promise_sweep_starts(p, s);
    p->queue.pool.cost += s->planned.n + s->gone.n;
}

static struct limit_judgement promise_now(const struct planner *p)
{
    return (struct limit_judgement){.stamp = p->queue.cycle_no << 32 | (uint32_t)p->queue.slots.iteration,
                                    .dropped = p->queue.slots.n_dropped};
}

static bool promise_counter_fits(struct planner *p, uint32_t counter)
{
    uint64_t iteration = p->queue.slots.iteration;
    struct limit_judgement now = promise_now(p);
    enum limits_plans known = limits_plans_of(p->queue.limits, counter, iteration, &now);
    if (known != PLANS_UNKNOWN)
        return known == PLANS_FIT;
    struct limit_sweep s = {.times = VEC_INIT};
    const uint32_t *jobs;
    size_t n = limits_planners_of(p->queue.limits, counter, iteration, &jobs);
    promise_sweep_jobs(p, jobs, n, &s);
    now.fits = limit_sweep_fits(&s, p->queue.limits, counter);
    limits_set_plans(p->queue.limits, counter, &now);
    limit_sweep_fini(&s);
    return now.fits;
}

static bool promise_counters_fit(struct planner *p, uint32_t who)
{
    const uint32_t *counters;
    size_t n = limits_any(p->queue.limits) ? limits_counters(p->queue.limits, who, &counters) : 0;
    for (size_t i = 0; i < n; i++)
        if (!promise_counter_fits(p, counters[i]))
            return false;
    return true;
}

static bool promise_licences_fit(struct planner *p)
{
    struct limit_judgement now = promise_now(p), *was = &p->licensed.known;
    now.changes = p->preempt.licence_changes;
    if (was->stamp == now.stamp && was->changes == now.changes &&
        (was->fits || was->dropped == now.dropped))
        return was->fits;
    struct limit_sweep s = {.times = VEC_INIT};
    promise_sweep_jobs(p, p->licensed.jobs.v, p->licensed.jobs.n, &s);
    promise_sweep_licences(p, &s);
    now.fits = limit_sweep_licences_fit(&s, p->queue.view->model, &p->preempt.licences);
    limit_sweep_fini(&s);
    *was = now;
    return now.fits;
}

static struct promise_check promise_check_of(struct planner *p, const struct pending_entry *u)
{
    return (struct promise_check){.p = p,
                                  .g = u->class,
                                  .u = u,
                                  .job = queue_job(&p->queue, u->job),
                                  .request = promise_request(p, u),
                                  .tier = u->slot.tier,
                                  .start = u->slot.use.start,
                                  .end = u->slot.use.end};
}

bool cycle_promise_holds(struct cycle *s, const struct pending_entry *u)
{
    struct promise_check c = promise_check_of(s->p, u);
    return promise_allows(&c, true);
}

bool cycle_promise_stands(struct cycle *s, const struct pending_entry *u, bool before_it)
{
    struct planner *p = s->p;
    struct promise_check c = promise_check_of(p, u);
    c.visited_only = before_it;
    bool licensed = u->class->licensed;
    bool leaves = limits_leave_plans(p->queue.limits, &c.request, p->queue.slots.iteration, true) ||
                  promise_counters_fit(p, c.request.who);
    if (leaves && (!licensed || (!u->class->never_licensed && promise_licences_fit(p))))
        return true;
    return promise_allows(&c, true);
}
