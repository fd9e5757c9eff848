/* clears_why.c - when at the earliest each cause can clear, where that is known: from the time limits of
 * what runs, from the places held, from the forecast. */
#include <stdlib.h>

#include "backend/sched/explain/why_internal.h"
#include "src/model/dep.h"

static int64_t end_of_runs(const struct active_job *r, int64_t now)
{
    int64_t end = now;
    vec_for_each (&r->v, i)
        end = r->v.v[i]->use.end > end ? r->v.v[i]->use.end : end;
    return end;
}

static struct wall why_when_instant(int64_t ms)
{
    return ms == WHEN_NEVER ? (struct wall){0} : (struct wall){.ms = ms};
}

/* --- limits and licences --- */

static struct limit_plan *plan_of_what_runs(const struct question *q)
{
    struct limit_plan *lp = limit_plan_new(q->queue->limits, q->v->model);
    list_for_each (r, &q->queue->active.list, struct active_job, link) {
        const struct job *j = lp ? model_get_job(q->v->model, r->job) : NULL;
        if (j)
            limit_plan_run(lp, j, r->v.n ? end_of_runs(r, q->now.ms) : active_end_of(q->queue, j));
    }
    limit_plan_seal(lp, q->now.ms);
    return lp;
}

struct wall why_limit_clears(const struct question *q, const struct limit_request *requests, uint32_t n)
{
    struct limit_plan *lp = plan_of_what_runs(q);
    int64_t first = WHEN_NEVER;
    for (uint32_t i = 0; i < n; i++) {
        int64_t t = limit_plan_next(lp, &requests[i], NULL, q->now.ms, 1);
        first = t < first ? t : first;
    }
    limit_plan_free(lp);
    return why_when_instant(first);
}

/* Of several limits each has its own time: the nth of those that open again. */
static struct wall one_limit_clears(const struct question *q, size_t nth)
{
    struct sched_view mine = *q->v;
    struct limit_verdict v;
    struct limit_request request;
    size_t at = 0;
    mine.limits = q->queue->limits;
    if (!eligibility_breaks_limits(&mine, q->j, &request))
        return (struct wall){0};
    while (limits_next_broken(mine.limits, &request, &at, &v)) {
        if (v.state != LIMIT_OVER_HARD || v.asked > v.most || nth--)
            continue;
        struct limit_request one = {.who = request.who};
        one.gpus = v.what == LIMIT_OF_GPUS || v.what == LIMIT_OF_GPU_MINUTES ? request.gpus : 0;
        one.limit_s = v.what == LIMIT_OF_GPU_MINUTES ? request.limit_s : 0;
        one.cpus = v.what == LIMIT_OF_CPUS ? request.cpus : 0;
        one.mem_mib = v.what == LIMIT_OF_MEMORY ? request.mem_mib : 0;
        one.nodes = v.what == LIMIT_OF_NODES ? request.nodes : 0;
        one.jobs = v.what == LIMIT_OF_RUNNING ? request.jobs : 0;
        struct limit_plan *lp = plan_of_what_runs(q);
        int64_t t = limit_plan_next_of(lp, &one, &v, q->now.ms, 1);
        limit_plan_free(lp);
        return why_when_instant(t);
    }
    return (struct wall){0};
}

static struct wall licence_clears(const struct question *q)
{
    struct limit_plan *lp = plan_of_what_runs(q);
    struct limit_request nothing = {.who = UINT32_MAX};
    int64_t t = limit_plan_next(lp, &nothing, req_detail(&q->j->req)->licenses, q->now.ms, 1);
    limit_plan_free(lp);
    return why_when_instant(t);
}

struct wall why_throttle_clears(const struct question *q)
{
    int64_t first = WHEN_NEVER;
    list_for_each (r, &q->queue->active.list, struct active_job, link) {
        int64_t end = r->array_job == q->j->array_job ? end_of_runs(r, q->now.ms) : WHEN_NEVER;
        first = end < first ? end : first;
    }
    return why_when_instant(first);
}

/* --- other jobs --- */

/* Of one that waits, by its forecast. */
static struct wall expected_of(const struct question *q, const struct job *other, const struct dep *d)
{
    struct forecast f = forecast_of(planner_forecaster(q->p), other->id);
    if (!wall_is_set(f.start))
        return (struct wall){0};
    if (d->type == DEP_TYPE_AFTER)
        return wall_add_s(f.start, d->delay_s);
    return why_when_instant(when_plus(f.start.ms, queue_job_length(q->queue, other)));
}

/* Unset where one of the same name waits in front, or runs without a limit. */
static struct wall same_names_end(const struct question *q)
{
    int64_t last = q->now.ms;
    list_for_each (p, &q->v->model->pending, struct job, in_queue) {
        if (p == q->j)
            break;
        if (p->uid == q->j->uid && str_eq(p->req.name, q->j->req.name))
            return (struct wall){0};
    }
    list_for_each (a, &q->v->model->active, struct job, in_queue)
        if (a != q->j && a->uid == q->j->uid && str_eq(a->req.name, q->j->req.name)) {
            int64_t end = active_end_of(q->queue, a);
            last = end > last ? end : last;
        }
    return why_when_instant(last);
}

static struct wall dep_clears(const struct question *q, const struct dep *d)
{
    const struct job *other = d->index == ARRAY_NONE ? model_get_job(q->v->model, d->job)
                                                     : model_get_element(q->v->model, d->job, d->index);
    struct wall clears = {0};
    if (dep_one_state(q->v->model, q->j, d, ARRAY_NONE, q->now, &clears) == DEP_MET)
        return q->now;
    if (d->type == DEP_TYPE_SINGLETON)
        return same_names_end(q);
    bool whole_array = other && other->array_job == other->id && d->index == ARRAY_NONE;
    if (wall_is_set(clears) || !other || whole_array)
        return clears;
    if (other->state == JOB_PENDING)
        return expected_of(q, other, d);
    return job_state_is_final(other->state) ? clears : why_when_instant(active_end_of(q->queue, other));
}

/* Of "?" the first, of "," the last. */
static struct wall dependency_clears(const struct question *q)
{
    struct deps deps;
    struct wall at = {0};
    bool known = true;
    if (dep_parse(q->j->req.dependency, &deps, NULL) < 0)
        return at;
    for (size_t i = 0; i < deps.n; i++) {
        struct wall t = dep_clears(q, &deps.v[i]);
        known = known && wall_is_set(t);
        if (wall_is_set(t) && (!wall_is_set(at) || (deps.any ? t.ms < at.ms : t.ms > at.ms)))
            at = t;
    }
    bool any = deps.any;
    deps_fini(&deps);
    return known || any ? at : (struct wall){0};
}

/* --- all of them --- */

void why_date_eligibility(const struct question *q)
{
    size_t n_limits = 0;
    for (size_t i = 0; i < q->w->causes.n; i++) {
        struct cause *c = &q->w->causes.v[i];
        bool several = q->u && q->u->class && q->u->class->n_choices > 1;
        bool is_limit = c->cls == WHY_USER_LIMIT || c->cls == WHY_GROUP_LIMIT;
        if (wall_is_set(c->clears))
            continue;
        if (is_limit && !several)
            c->clears = one_limit_clears(q, n_limits++);
        else if (is_limit)
            c->clears = why_limit_clears(q, q->u->class->requests, q->u->class->n_choices);
        else if (c->cls == WHY_BUSY) /* the only ones among the rules of eligibility are licences */
            c->clears = licence_clears(q);
        else if (c->cls == WHY_DEP_WAIT)
            c->clears = dependency_clears(q);
    }
}

void why_date_turn(const struct question *q)
{
    for (size_t i = 0; i < q->w->causes.n; i++)
        if (q->w->causes.v[i].cls == WHY_BEHIND && !wall_is_set(q->w->causes.v[i].clears))
            q->w->causes.v[i].clears = q->w->start;
}
