/* report.c - the plan of the queue as rows for people. */
#include <stdlib.h>

#include "backend/sched/explain/why_internal.h"
#include "src/model/window.h"
#include "src/values/hostlist.h"

struct report {
    struct planner *p;
    const struct plan_filter *filter;
    size_t most; /* rows, for now */
    struct msg_plan *out;
};

/* What waits may ask for several partitions. */
static bool report_is_wanted(const struct plan_filter *f, const struct job *j)
{
    if (f->users.n && !strv_has(&f->users, j->user))
        return false;
    if (!f->partitions.n)
        return true;
    struct strv asked = strv_split(j->partition, ",");
    bool any = false;
    for (size_t i = 0; i < asked.n; i++)
        any = any || strv_has(&f->partitions, asked.v[i]);
    strv_fini(&asked);
    return any;
}

/* NULL where there is no room for more. */
static struct plan_row *report_add(struct report *r, enum plan_kind kind)
{
    if (r->out->rows.n >= r->most) {
        r->out->n_more++;
        return NULL;
    }
    struct plan_row *row = rec_list_push(&r->out->rows);
    *row = (struct plan_row){.kind = kind, .count = 1, .array_index = UINT32_MAX};
    return row;
}

void report_fill_row(struct planner *p, enum plan_kind kind, const struct job *j, struct plan_row *ret)
{
    *ret = (struct plan_row){.kind = kind,
                             .job = j->id,
                             .array_job = j->array_job,
                             .array_index = j->array_index,
                             .count = 1,
                             .name = xstrdup(j->req.name),
                             .user = xstrdup(j->user),
                             .partition = xstrdup(j->partition),
                             .cpus = job_cpus(j),
                             .gpus = job_gpus(j),
                             .n_nodes = job_nodes(j),
                             .priority = prio_of_best(&planner_queue(p)->prios.query, j)};
}

static struct plan_row *report_add_job(struct report *r, enum plan_kind kind, const struct job *j)
{
    struct plan_row *row = report_is_wanted(r->filter, j) ? report_add(r, kind) : NULL;
    if (row)
        report_fill_row(r->p, kind, j, row);
    return row;
}

static struct wall report_instant(int64_t ms)
{
    return ms == WHEN_NEVER ? (struct wall){0} : (struct wall){.ms = ms};
}

static void add_running(struct report *r)
{
    list_for_each (runs, &planner_queue(r->p)->active.list, struct active_job, link) {
        const struct job *j = model_get_job(planner_queue(r->p)->view->model, runs->job);
        struct plan_row *row = j ? report_add_job(r, PLAN_RUNNING, j) : NULL;
        if (!row)
            continue;
        row->nodes = job_node_list(j);
        row->start = j->t_start;
        row->end = report_instant(active_end_of(planner_queue(r->p), j));
        row->borrowed = j->borrowed;
    }
}

static char *report_nodes_of(struct planner *p, const struct pool_use *u)
{
    struct strv names = {0};
    for (uint32_t i = 0; i < u->n_parts; i++)
        strv_push(&names, planner_queue(p)->view->model->nodes[u->parts[i].node]->spec.name);
    char *text = hostlist_compress(&names);
    strv_fini(&names);
    return text;
}

static char *report_forecast_nodes(struct planner *p, uint32_t job)
{
    const struct model *m = planner_queue(p)->view->model;
    struct strv names = {0};
    uint32_t n;
    const uint32_t *nodes = forecast_nodes(planner_forecaster(p), job, &n);
    for (uint32_t i = 0; i < n && nodes[i] < m->n_nodes; i++)
        strv_push(&names, m->nodes[nodes[i]]->spec.name);
    char *text = names.n ? hostlist_compress(&names) : NULL;
    strv_fini(&names);
    return text;
}

enum plan_kind forecast_plan_kind(enum forecast_kind k)
{
    switch (k) {
    case FORECAST_SLOT: return PLAN_HELD;
    case FORECAST_PLANNED:
    case FORECAST_LATER: return PLAN_FORECAST;
    case FORECAST_BEYOND: return PLAN_BEYOND;
    case FORECAST_NONE: break;
    }
    return PLAN_UNKNOWN;
}

static void add_unit(struct report *r, const struct pending_entry *u)
{
    const struct job *j = queue_job(planner_queue(r->p), u->job);
    if (!j)
        return;
    struct forecast f = forecast_of(planner_forecaster(r->p), u->job);
    struct plan_row *row = report_add_job(r, forecast_plan_kind(f.kind), j);
    if (!row)
        return;
    row->count = u->count;
    row->reason = planner_reason(r->p, u->job);
    row->start = f.start;
    row->likely = f.likely;
    row->unlikely = f.unlikely;
    if (u->slot.use.parts) {
        row->nodes = report_nodes_of(r->p, &u->slot.use);
        row->end = report_instant(u->slot.use.end);
    } else if (wall_is_set(f.start)) {
        row->nodes = report_forecast_nodes(r->p, u->job);
        row->end = report_instant(when_plus(f.start.ms, queue_job_length(planner_queue(r->p), j)));
    }
    if (wall_is_set(row->end) && f.last_end.ms > row->end.ms)
        row->busy_until = f.last_end;
}

static void add_windows(struct report *r)
{
    const struct model *m = planner_queue(r->p)->view->model;
    for (size_t i = 0; i < m->windows.n; i++) {
        const struct window *w = &m->windows.v[i];
        struct plan_row *row = w->end.ms > planner_queue(r->p)->now.ms ? report_add(r, PLAN_WINDOW) : NULL;
        if (!row)
            continue;
        row->name = xstrdup(w->name);
        row->user = xstrdup(w->user);
        row->nodes = hostlist_compress(&w->nodes);
        row->n_nodes = (uint32_t)w->nodes.n;
        row->start = w->start;
        row->end = w->end;
    }
}

static int by_start(const void *pa, const void *pb)
{
    const struct plan_row *a = pa, *b = pb;
    int64_t x = wall_is_set(a->start) ? a->start.ms : INT64_MAX,
            y = wall_is_set(b->start) ? b->start.ms : INT64_MAX;
    if (x != y)
        return x < y ? -1 : 1;
    return a->job < b->job ? -1 : a->job > b->job;
}

void report_sort(struct msg_plan *plan)
{
    if (plan->rows.n)
        qsort(plan->rows.v, plan->rows.n, sizeof *plan->rows.v, by_start);
}

void planner_report(struct planner *p, const struct sched_view *v, struct wall now,
                    const struct plan_filter *filter, struct msg_plan *ret)
{
    struct report r = {.p = p, .filter = filter, .out = ret};
    *ret = (struct msg_plan){.now = now,
                             .made = forecast_made(planner_forecaster(p)),
                             .samples = forecast_samples(planner_forecaster(p))};
    forecast_scores_save(planner_forecaster(p)->scores, &ret->scores);
    planner_ready(p, v, now);
    priorities_begin_query(planner_queue(p), v, now);
    size_t half = planner_queue(p)->entries.by_job.n < filter->rows_max / 2
                      ? planner_queue(p)->entries.by_job.n
                      : filter->rows_max / 2;
    r.most = filter->rows_max - half;
    if (!filter->waiting) {
        add_windows(&r);
        add_running(&r);
    }
    r.most = filter->rows_max;
    list_for_each (j, &v->model->pending, struct job, in_queue) {
        const struct pending_entry *u = idmap_get(&planner_queue(p)->entries.by_job, j->id);
        if (u)
            add_unit(&r, u);
    }
    priorities_end_query(planner_queue(p));
    report_sort(ret);
}
