/* trial.c - what would become of a job that is not in the queue. */
#include "backend/sched/explain/explain.h"

#include <stdlib.h>

#include "backend/sched/explain/why_internal.h"
#include "src/values/hostlist.h"

/* The partitions where limits let it in. */
static uint32_t choose_open(struct planner *p, const struct job_class *g, struct plan_choice *ret,
                            uint32_t *positions, struct trial *t)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < g->n_choices; i++) {
        struct limit_verdict v;
        if (limits_check(planner_queue(p)->limits, &g->requests[i], &v) == LIMIT_OVER_HARD) {
            t->verdict = v;
            continue;
        }
        positions[n] = i;
        ret[n++] = g->choices[i];
    }
    return n;
}

struct gets { /* what it would get where it is placed */
    struct planner *p;
    struct job_class *g;
    const struct job *j;
    const uint32_t *positions; /* of the choices, in the group */
    struct trial *ret;
};

static bool may_get(void *ctx, uint32_t choice, const struct pool_parts *parts, int64_t len)
{
    const struct gets *x = ctx;
    struct limit_request request = x->g->requests[x->positions[choice]];
    limit_request_set_placement(parts, len, &request);
    return limits_check(planner_queue(x->p)->limits, &request, NULL) != LIMIT_OVER_HARD;
}

/* Planned starts of other jobs need what is left of a limit or a licence. */
static bool leaves_promises(void *ctx, uint32_t choice, const struct pool_parts *parts, int64_t start,
                            int64_t len)
{
    const struct gets *x = ctx;
    (void)start; /* now */
    x->g->rest.verdict.state = LIMIT_OK;
    if (planner_leaves_promises(x->p, x->g, x->j, x->positions[choice], parts, len))
        return true;
    x->ret->verdict = x->g->rest.verdict;
    x->ret->reason = x->ret->verdict.state == LIMIT_OK ? REASON_LICENSES : limit_reason(&x->ret->verdict);
    return false;
}

static char *trial_names_of(struct planner *p, const struct pool_parts *parts, uint32_t *ret_cpus)
{
    struct strv names = {0};
    *ret_cpus = 0;
    vec_for_each (&parts->v, i) {
        strv_push(&names, planner_queue(p)->view->model->nodes[parts->v.v[i].node]->spec.name);
        *ret_cpus += (uint32_t)parts->v.v[i].amount.cpus;
    }
    char *text = hostlist_compress(&names);
    strv_fini(&names);
    return text;
}

/* When it would start behind all that is planned. */
static void try_later(struct planner *p, const struct job_class *g, const struct job *j, int64_t from,
                      struct trial *ret)
{
    uint32_t choice = 0;
    ret->forecast = forecast_try(planner_forecaster(p), g, j, from, &choice);
    if (ret->forecast.kind == FORECAST_PLANNED)
        ret->partition = planner_queue(p)->view->model->spec.parts.v[g->choices[choice].partition].name;
}

static bool has_licences(struct planner *p, const struct job *j)
{
    return licence_fits(&planner_queue(p)->active.licences, planner_queue(p)->view->model, j);
}

static void try_group(struct planner *p, struct job_class *g, const struct job *j, int64_t from,
                      struct trial *ret)
{
    struct plan_choice *open = xcalloc(g->n_choices, sizeof *open);
    uint32_t *positions = xcalloc(g->n_choices, sizeof *positions);
    bool limited = limits_any(planner_queue(p)->limits);
    struct gets gets = {.p = p, .g = g, .j = j, .positions = positions, .ret = ret};
    struct plan_request it = {.choices = open,
                              .n_choices = choose_open(p, g, open, positions, ret),
                              .deadline = g->deadline,
                              .allows = limited ? may_get : NULL,
                              .leaves = limited || g->licensed ? leaves_promises : NULL,
                              .ctx = &gets};
    struct placement at = {0};
    if (!it.n_choices)
        ret->reason = limit_reason(&ret->verdict);
    else if (g->licensed && !has_licences(p, j))
        ret->reason = REASON_LICENSES;
    if (ret->reason == REASON_NONE && from <= planner_queue(p)->now.ms &&
        plan_slots_start_beside(&planner_queue(p)->slots, &it, &at)) {
        ret->now = true;
        ret->reason = REASON_NONE; /* a placement before it may have been refused */
        ret->len_ms = at.len;
        ret->partition = planner_queue(p)->view->model->spec.parts.v[open[at.choice].partition].name;
        ret->nodes = trial_names_of(p, &at.parts, &ret->cpus);
        ret->forecast = (struct forecast){
            .kind = FORECAST_PLANNED, .start = planner_queue(p)->now, .made = planner_queue(p)->now};
    } else {
        try_later(p, g, j, from, ret);
    }
    placement_fini(&at);
    free(positions);
    free(open);
}

static void try_job(struct planner *p, const struct sched_view *v, const struct job *j, struct wall now,
                    struct trial *ret)
{
    uint32_t tasks = 1;
    planner_ready_limits(p, v, now);
    const struct step *s = j->kind == JOB_KIND_STEPS ? pending_step(j, &tasks) : NULL;
    struct job_class *g = job_class_of(planner_queue(p), j, s, &ret->reason);
    if (!g)
        return;
    struct wall clears = {0};
    enum reason rule = eligibility_of_job(v, j, now, &clears);
    bool waits_for_others = rule == REASON_DEPENDENCY || rule == REASON_DEPENDENCY_NEVER;
    ret->reason = waits_for_others ? rule : REASON_NONE;
    if (!waits_for_others)
        try_group(p, g, j, clears.ms > now.ms ? clears.ms : now.ms, ret);
    if (!g->n_pending)
        job_class_drop(planner_queue(p), g);
}

/* No forecast has been made since the queue was read: the time is that of a planner of its own. */
static void try_forecast(struct planner *p, const struct sched_view *v, const struct job *j,
                         struct wall now, struct trial *ret)
{
    struct trial t = {.reason = REASON_NONE};
    struct planner *own = replan_with_forecasts(p, v, j, now);
    try_job(own, v, j, now, &t);
    ret->forecast = t.forecast;
    ret->partition = t.partition;
    trial_fini(&t);
    planner_free(own);
}

bool trial_by_last_plan(struct planner *p, const struct sched_view *v, const struct job *j, struct wall now,
                        struct trial *ret)
{
    *ret = (struct trial){.reason = REASON_NONE};
    if (!planner_ready_for(p, v, j, now)) /* what runs is not all known */
        return false;
    try_job(p, v, j, now, ret);
    return true;
}

void planner_try(struct planner *p, const struct sched_view *v, const struct job *j, struct wall now,
                 struct trial *ret)
{
    bool known = trial_by_last_plan(p, v, j, now, ret);
    if (known && !ret->now && !wall_is_set(forecast_made(planner_forecaster(p))) && replan_is_cheap(p))
        try_forecast(p, v, j, now, ret);
}

void trial_fini(struct trial *t)
{
    free(t->nodes);
    *t = (struct trial){0};
}
