/* replan.c - the plan as it would be if a waiting job asked for something else. */
#include <stdlib.h>

#include "backend/sched/explain/why_internal.h"
#include "src/values/hostlist.h"

bool replan_is_cheap(struct planner *p)
{
    const struct queue *q = planner_queue(p);
    return q->entries.by_job.n + q->active.by_job.n + q->pool.n_nodes <= REPLAN_MAX;
}

/* What it asks for stays the same to the planner (a throttle is of no class): the state's change would keep
 * the job's planned start and its arrival. */
static bool replan_stays_in_class(struct planner *p, const struct job *probe)
{
    const struct pending_entry *u = idmap_get(&planner_queue(p)->entries.by_job, probe->id);
    enum reason blocked_by = REASON_NONE;
    uint32_t tasks = 1;
    if (!u || !u->class)
        return false;
    const struct step *s = probe->kind == JOB_KIND_STEPS ? pending_step(probe, &tasks) : NULL;
    struct job_class *g = job_class_of(planner_queue(p), probe, s, &blocked_by);
    bool stays = g == u->class;
    if (g && !g->n_pending)
        job_class_drop(planner_queue(p), g);
    return stays;
}

struct planner *replan_cycle(struct planner *p, const struct sched_view *v, const struct job *probe,
                             struct wall now, struct sched_result *ret)
{
    struct planner *own = planner_new();
    planner_queue(own)->probe = probe;
    sched_result_init(ret);
    planner_ready(own, v, now);
    planner_copy_slots(own, p, replan_stays_in_class(p, probe) ? 0 : probe->id);
    planner_cycle(own, v, now, ret);
    return own;
}

static void replan_forecast(struct planner *own, const struct sched_view *v, struct wall now)
{
    forecast_begin(planner_forecaster(own), v, now);
    while (!forecast_step(planner_forecaster(own), v, REPLAN_MAX)) {
    }
}

struct planner *replan_with_forecasts(struct planner *p, const struct sched_view *v, const struct job *j,
                                      struct wall now)
{
    struct sched_result r;
    struct planner *own = planner_new();
    sched_result_init(&r);
    if (planner_ready_for(own, v, j, now))
        planner_copy_slots(own, p, 0);
    planner_cycle(own, v, now, &r);
    replan_forecast(own, v, now);
    sched_result_fini(&r);
    return own;
}

static char *replan_nodes_of(const struct ev_start *start)
{
    struct strv names = {0};
    for (size_t i = 0; i < start->alloc.n; i++)
        strv_push(&names, start->alloc.v[i].node);
    char *text = names.n ? hostlist_compress(&names) : NULL;
    strv_fini(&names);
    return text;
}

static void replan_set_start(struct plan_row *row, enum plan_kind kind, struct wall start,
                             char *nodes_taken, int64_t length_ms)
{
    int64_t end = when_plus(start.ms, length_ms);
    row->kind = kind;
    row->start = start;
    row->end = wall_is_set(start) && end != WHEN_NEVER ? (struct wall){.ms = end} : (struct wall){0};
    row->likely = row->unlikely = (struct wall){0};
    free(row->nodes);
    row->nodes = nodes_taken;
}

/* The row of a job that waits; NULL: there was no room for it. */
static struct plan_row *replan_row_of(struct msg_plan *plan, uint32_t job)
{
    for (size_t i = 0; i < plan->rows.n; i++)
        if (plan->rows.v[i].job == job && plan->rows.v[i].kind != PLAN_RUNNING)
            return &plan->rows.v[i];
    return NULL;
}

/* Jobs that start in the cycle have neither a planned start nor a forecast. */
static void replan_add_starts(struct planner *own, const struct sched_result *r, struct wall now,
                              struct msg_plan *plan)
{
    vec_for_each (&r->starts, i) {
        const struct sched_start *s = &r->starts.v[i];
        const struct job *j = queue_job(planner_queue(own), s->job);
        struct plan_row *row = j ? replan_row_of(plan, s->job) : NULL;
        if (row && !wall_is_set(row->start))
            replan_set_start(row, PLAN_HELD, now, replan_nodes_of(&s->start),
                             queue_job_length(planner_queue(own), j));
    }
}

static void replan_all(struct planner *p, const struct sched_view *v, const struct job *probe,
                       struct wall now, const struct plan_filter *filter, struct msg_plan *ret)
{
    struct sched_result r;
    struct planner *own = replan_cycle(p, v, probe, now, &r);
    replan_forecast(own, v, now);
    planner_report(own, v, now, filter, ret);
    replan_add_starts(own, &r, now, ret);
    sched_result_fini(&r);
    planner_free(own);
}

static void replan_one(struct planner *p, const struct sched_view *v, const struct job *probe,
                       struct wall now, const struct plan_filter *filter, struct msg_plan *ret)
{
    struct trial t;
    struct job alone = *probe;
    alone.id = UINT32_MAX; /* else its length would be that of the job in the queue */
    planner_report(p, v, now, filter, ret);
    planner_try(p, v, probe, now, &t);
    struct plan_row *row = replan_row_of(ret, probe->id), fresh;
    priorities_begin_query(planner_queue(p), v, now);
    report_fill_row(p, PLAN_UNKNOWN, probe, &fresh);
    priorities_end_query(planner_queue(p));
    if (row)
        rec_fini(&plan_row_rec, row);
    else
        row = rec_list_push(&ret->rows);
    *row = fresh;
    replan_set_start(row, t.now ? PLAN_HELD : forecast_plan_kind(t.forecast.kind),
                     t.now ? now : t.forecast.start, t.nodes, queue_job_length(planner_queue(p), &alone));
    row->likely = t.forecast.likely;
    row->unlikely = t.forecast.unlikely;
    row->reason = t.reason;
    row->count = job_pending_elements(probe);
    t.nodes = NULL;
    trial_fini(&t);
}

void planner_report_with(struct planner *p, const struct sched_view *v, const struct job *probe,
                         struct wall now, const struct plan_filter *filter, struct msg_plan *ret)
{
    planner_ready(p, v, now);
    if (replan_is_cheap(p))
        replan_all(p, v, probe, now, filter, ret);
    else
        replan_one(p, v, probe, now, filter, ret);
    ret->changed = true;
    report_sort(ret);
}
