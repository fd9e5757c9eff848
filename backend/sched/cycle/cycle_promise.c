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

void cycle_promise_note(const struct planner *p, const struct pending_entry *u)
{
    if (!limits_any(p->queue.limits) || !promise_counts(u))
        return;
    struct limit_request request = promise_request(p, u);
    limits_note_plan(p->queue.limits, &request, u->job, p->queue.slots.iteration);
}

void cycle_promise_move(const struct planner *p, const struct pending_entry *u)
{
    if (limits_any(p->queue.limits) && promise_counts(u))
        limits_move_plan(p->queue.limits, u->class->requests[promise_choice(u)].who, u->job,
                         p->queue.slots.iteration);
}

void cycle_promises_begin(const struct planner *p)
{
    if (!limits_any(p->queue.limits))
        return;
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
    VEC(struct limit_request) then, gone; /* at one time */
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

/* A job with licences may share them with any other job. Jobs without licences share limits; each limit
 * lists the jobs with planned starts that count against it, if an iteration has recorded them. */
static void promise_find_beside(struct promise_check *x)
{
    const struct planner *p = x->p;
    uint32_t *jobs;
    if (!x->u || x->g->licensed || !limits_any(p->queue.limits)) {
        list_for_each (h, &p->queue.slots.list, struct plan_slot, link)
            promise_add_beside(x, container_of(h, struct pending_entry, slot));
        return;
    }
    size_t n = limits_planners(p->queue.limits, x->request.who, p->queue.slots.iteration, &jobs);
    for (size_t i = 0; i < n; i++) {
        const struct pending_entry *w = idmap_get(&p->queue.entries.by_job, jobs[i]);
        if (w)
            promise_add_beside(x, w);
    }
    free(jobs);
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
    return end ? end : WHEN_NEVER;
}

static bool promise_allows_limits_at(struct promise_check *x, int64_t t)
{
    struct planner *p = x->p;
    struct limit_verdict v;
    vec_clear(&x->gone);
    vec_for_each (&p->queue.active.started, i)
        if (p->queue.active.started.v[i]->use.end <= t)
            vec_push(&x->gone, p->queue.active.started.v[i]->request);
    vec_for_each (&p->preempt.preemptor_charges, i)
        if (p->preempt.preemptor_charges.v[i].end <= t)
            vec_push(&x->gone, p->preempt.preemptor_charges.v[i].request);
    struct limit_future f = {.t = t,
                             .planned = x->then.v,
                             .n_planned = x->then.n,
                             .gone = x->gone.v,
                             .n_gone = x->gone.n,
                             .end_of = promise_end_of,
                             .ctx = p};
    if (limits_allow_at(p->queue.limits, &x->request, &f, &v))
        return true;
    x->g->rest.verdict = v;
    return false;
}

/* Licences of jobs that run now and end by then are free again. */
static bool promise_allows_licences_at(const struct promise_check *x, int64_t t)
{
    struct planner *p = x->p;
    const struct model *m = p->queue.view->model;
    struct licence_use use = {VEC_INIT};
    licence_copy(&use, &p->preempt.licences);
    vec_for_each (&x->beside, i)
        if (x->beside.v[i].u->slot.use.start <= t && x->beside.v[i].u->slot.use.end > t)
            licence_take(&use, m, queue_job(&p->queue, x->beside.v[i].u->job));
    idmap_for_each (&p->queue.active.licensed, slot)
        if (promise_end_of(p, (uint32_t)slot->id) <= t)
            licence_book(&use, m, slot->value, true);
    vec_for_each (&p->queue.active.started, i) {
        const struct job *j = queue_job(&p->queue, p->queue.active.started.v[i]->job);
        if (p->queue.active.started.v[i]->use.end <= t && req_detail(&j->req)->licenses)
            licence_book(&use, m, req_detail(&j->req)->licenses, true);
    }
    vec_for_each (&p->preempt.preemptor_charges, i) {
        const struct preemptor_charge *c = &p->preempt.preemptor_charges.v[i];
        const struct job *j = c->licensed && c->end <= t ? queue_job(&p->queue, c->job) : NULL;
        if (j)
            licence_book(&use, m, req_detail(&j->req)->licenses, true);
    }
    bool fits = licence_fits(&use, m, x->job);
    licence_use_fini(&use);
    return fits;
}

static bool promise_allows_at(struct promise_check *x, int64_t t)
{
    vec_clear(&x->then);
    vec_for_each (&x->beside, i) {
        const struct pool_use *use = &x->beside.v[i].u->slot.use;
        if (use->start <= t && use->end > t)
            vec_push(&x->then, x->beside.v[i].request);
    }
    return promise_allows_limits_at(x, t) &&
           (!x->g->licensed || (x->u && x->u->chosen) || promise_allows_licences_at(x, t));
}

/* More is used only at the times when one of them starts. */
static bool promise_allows(struct promise_check *x, bool always)
{
    promise_find_beside(x);
    bool allows = (!x->beside.n && !always) || promise_allows_at(x, x->start);
    for (size_t i = 0; i < x->beside.n && allows; i++)
        if (x->beside.v[i].u->slot.use.start > x->start)
            allows = promise_allows_at(x, x->beside.v[i].u->slot.use.start);
    if (!allows)
        x->g->rest.promised_to = x->beside.n ? x->beside.v[0].u->job : 0;
    vec_fini(&x->beside);
    vec_fini(&x->then);
    vec_fini(&x->gone);
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

bool cycle_promise_stands(struct cycle *s, const struct pending_entry *u, bool before_it)
{
    struct planner *p = s->p;
    struct promise_check c = {.p = p,
                              .g = u->class,
                              .u = u,
                              .job = queue_job(&p->queue, u->job),
                              .request = promise_request(p, u),
                              .tier = u->slot.tier,
                              .start = u->slot.use.start,
                              .end = u->slot.use.end,
                              .visited_only = before_it};
    if (!u->class->licensed &&
        limits_leave_plans(p->queue.limits, &c.request, p->queue.slots.iteration, true))
        return true;
    return promise_allows(&c, true);
}
