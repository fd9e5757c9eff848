/* whatif.c - what a change would do to the plan of a queue: planned twice, compared. */
#include "backend/sim/whatif.h"

#include <errno.h>
#include <stdlib.h>

#include "backend/sched/explain/explain.h"
#include "src/base/utf8.h"
#include "src/base/vec.h"
#include "src/values/units.h"

REC_DEFINE(whatif_row, WHATIF_ROW_FIELDS)
REC_DEFINE(whatif_node, WHATIF_NODE_FIELDS)
REC_DEFINE(whatif, WHATIF_FIELDS)

#define SLICE 1000

struct start {
    uint32_t job;
    enum plan_kind kind;
    struct wall at;
};

struct starts {
    VEC(struct start) v;
};

/* The controller has checked who may do what. */
static bool whatif_admitted(void *ctx, uint32_t uid, const struct strv *groups)
{
    (void)ctx;
    (void)uid;
    (void)groups;
    return true;
}

static void whatif_keep_priorities(struct model *m)
{
    list_for_each (j, &m->pending, struct job, in_queue) {
        req_detail_mut(&j->req)->has_priority = true;
        req_detail_mut(&j->req)->priority = j->priority;
    }
}

static bool whatif_starts_at_once(const struct sched_result *r, uint32_t job)
{
    vec_for_each (&r->starts, i)
        if (r->starts.v[i].job == job)
            return true;
    vec_for_each (&r->places, i)
        if (r->places.v[i].job == job)
            return true;
    return false;
}

/* In the order of m->pending. */
static void whatif_plan(const struct model *m, struct wall now, struct starts *ret)
{
    struct sched_view v = {.model = m, .in_groups = whatif_admitted};
    struct planner *p = planner_new();
    struct sched_result r;
    sched_result_init(&r);
    planner_cycle(p, &v, now, &r);
    forecast_begin(planner_forecaster(p), &v, now);
    while (!forecast_step(planner_forecaster(p), &v, SLICE))
        ;
    list_for_each (j, &m->pending, struct job, in_queue) {
        struct forecast f = forecast_of(planner_forecaster(p), j->id);
        struct start s = {.job = j->id, .kind = forecast_plan_kind(f.kind), .at = f.start};
        if (whatif_starts_at_once(&r, j->id))
            s = (struct start){.job = j->id, .kind = PLAN_RUNNING, .at = now};
        vec_push(&ret->v, s);
    }
    sched_result_fini(&r);
    planner_free(p);
}

static int whatif_drain(struct model *m, const char *name, struct wall now, struct errtext *err)
{
    struct ev_drain body = {.node = xstrdup(name), .drain = true, .reason = xstrdup("what if")};
    struct event ev = {.seq = m->seq + 1, .t = now, .kind = EV_DRAIN, .body = &body};
    int r = model_apply(m, &ev);
    rec_fini(&ev_drain_rec, &body);
    return r < 0 ? err_set(err, -ENOENT, "there is no node %s", name) : 0;
}

static int whatif_change_model(struct model *m, struct whatif_change *change, struct wall now,
                               struct errtext *err)
{
    if (change->spec) {
        struct event ev = {.seq = m->seq + 1, .t = now, .kind = EV_CONFIG, .body = change->spec};
        if (model_apply(m, &ev) < 0)
            return err_set(err, -EINVAL, "the configuration does not fit the state");
    }
    for (size_t i = 0; i < change->drain.n; i++) {
        int r = whatif_drain(m, change->drain.v[i], now, err);
        if (r < 0)
            return r;
    }
    return 0;
}

static bool whatif_runs_on(const struct job *j, const char *node)
{
    if (j->holding && job_alloc_on(j, node))
        return true;
    for (size_t i = 0; i < j->steps.n && j->kind == JOB_KIND_STEPS; i++)
        for (size_t k = 0; k < j->steps.v[i].tasks.n; k++) {
            const struct task *t = &j->steps.v[i].tasks.v[k];
            if ((t->state == TASK_LAUNCHING || t->state == TASK_RUNNING) && str_eq(t->alloc.node, node))
                return true;
        }
    return false;
}

static void whatif_add_node(const struct model *m, const char *name, struct whatif *ret)
{
    struct whatif_node *n = rec_list_push(&ret->nodes);
    bool ends = true;
    n->node = xstrdup(name);
    list_for_each (j, &m->active, struct job, in_queue) {
        if (!whatif_runs_on(j, name))
            continue;
        n->n_jobs++;
        if (j->time_limit_s >= DURATION_NOT_SET) {
            ends = false;
            continue;
        }
        struct wall end = wall_add_s(j->t_start, j->time_limit_s);
        n->free_at = end.ms > n->free_at.ms ? end : n->free_at;
    }
    if (!ends)
        n->free_at = (struct wall){0};
}

static void whatif_compare(const struct model *m, const struct start *before, const struct start *after,
                           struct whatif *ret)
{
    const struct job *j = model_get_job(m, before->job);
    bool had = wall_is_set(before->at), has = wall_is_set(after->at);
    ret->n_waiting++;
    if (!j || (before->kind == after->kind && before->at.ms == after->at.ms))
        return;
    if (had && has && before->at.ms == after->at.ms)
        return;
    ret->n_earlier += has && (!had || after->at.ms < before->at.ms);
    ret->n_later += had && has && after->at.ms > before->at.ms;
    ret->n_never += had && !has;
    struct whatif_row *r = rec_list_push(&ret->rows);
    *r = (struct whatif_row){.job = j->id,
                             .array_job = j->array_job,
                             .array_index = j->array_index,
                             .name = xstrdup(j->req.name),
                             .user = xstrdup(j->user),
                             .partition = xstrdup(j->partition),
                             .kind_before = before->kind,
                             .kind_after = after->kind,
                             .before = before->at,
                             .after = after->at};
}

int whatif_run(struct model *m, struct whatif_change *change, struct wall now, struct whatif *ret,
               struct errtext *err)
{
    struct starts before = {VEC_INIT}, after = {VEC_INIT};
    *ret = (struct whatif){.now = now};
    whatif_keep_priorities(m);
    whatif_plan(m, now, &before);
    int r = whatif_change_model(m, change, now, err);
    if (r == 0) {
        whatif_plan(m, now, &after);
        for (size_t i = 0; i < before.v.n && i < after.v.n; i++)
            whatif_compare(m, &before.v.v[i], &after.v.v[i], ret);
        for (size_t i = 0; i < change->drain.n; i++)
            whatif_add_node(m, change->drain.v[i], ret);
    }
    vec_fini(&before.v);
    vec_fini(&after.v);
    return r;
}

/* --- text --- */

static void whatif_append_start(struct str *out, enum plan_kind kind, struct wall at)
{
    char buf[WALL_TEXT_SIZE];
    if (kind == PLAN_RUNNING)
        str_append(out, "now");
    else if (wall_is_set(at))
        str_append(out, wall_format_iso(at, buf));
    else
        str_append(out, kind == PLAN_BEYOND ? "beyond what is planned ahead" : "not known");
}

void whatif_text(const struct whatif *w, struct str *out)
{
    char buf[WALL_TEXT_SIZE];
    for (size_t i = 0; i < w->nodes.n; i++) {
        const struct whatif_node *n = &w->nodes.v[i];
        str_appendf(out, "%s: ", n->node);
        if (!n->n_jobs)
            str_append(out, "nothing runs there\n");
        else if (wall_is_set(n->free_at))
            str_appendf(out, "%u job%s there, the last until %s\n", n->n_jobs,
                        n->n_jobs == 1 ? " runs" : "s run", wall_format_iso(n->free_at, buf));
        else
            str_appendf(out, "%u job%s there, one without a time limit\n", n->n_jobs,
                        n->n_jobs == 1 ? " runs" : "s run");
    }
    str_appendf(out, "%u waiting: %u would start later, %u earlier, %u would have no start any more\n",
                w->n_waiting, w->n_later, w->n_earlier, w->n_never);
    for (size_t i = 0; i < w->rows.n; i++) {
        const struct whatif_row *r = &w->rows.v[i];
        str_appendf(out, "  %u ", r->job);
        cell_text(out, r->name ? r->name : "", 24, true, false);
        str_append(out, ": ");
        whatif_append_start(out, (enum plan_kind)r->kind_before, r->before);
        str_append(out, " -> ");
        whatif_append_start(out, (enum plan_kind)r->kind_after, r->after);
        str_append_char(out, '\n');
    }
}
