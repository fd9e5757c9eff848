#include "backend/slurm/plan/slurm_planner.h"

#include <stdlib.h>
#include <string.h>

#include "src/base/xalloc.h"
#include "src/values/hostlist.h"

#define WINDOW_S      (7 * 86400)
#define RESERVATIONS  2 /* planned starts of each partition */
#define SLICE_MS      4
#define PREPARE_UNITS 2000
#define CYCLE_LOOKS   30000
#define FORECAST_JOBS 25
#define PAUSE_MS      30000
#define COST_FACTOR   50 /* pause for each millisecond that the last forecast took */

enum planner_stage { STAGE_IDLE, STAGE_PREPARE, STAGE_CYCLE, STAGE_FORECAST };

struct slurm_planner {
    struct loop *loop;
    const struct slurm_mirror *mirror;
    struct slurm_scores *scores;
    void (*done)(void *ctx);
    void *ctx;
    struct slurm_plan { /* over a model of its own */
        struct model model;
        struct planner *planner;
        struct sched_result result;
    } * made, *making;
    enum planner_stage stage;
    struct wall now;   /* of the forecast that is made */
    struct mono ended; /* ns 0: none yet */
    int64_t cost_ms;
    struct loop_timer timer;
};

/* --- the model --- */

static char *planner_copy(const char *s)
{
    return s ? xstrdup(s) : NULL;
}

static void planner_copy_partition(const struct part_spec *from, struct part_spec *to)
{
    rec_copy(&part_spec_rec, to, from);
    /* Whom it admits is Slurm's to say. */
    strv_fini(&to->allow_groups);
    strv_fini(&to->allow_accounts);
    strv_fini(&to->allow_qos);
    strv_fini(&to->deny_accounts);
    strv_fini(&to->deny_qos);
}

static void planner_copy_spec(const struct model *m, struct model *ret)
{
    struct cluster_spec spec = {
        .name = xstrdup("slurm"), .window_s = WINDOW_S, .reservations = RESERVATIONS};
    for (size_t i = 0; i < m->spec.parts.n; i++)
        planner_copy_partition(&m->spec.parts.v[i], rec_list_push(&spec.parts));
    model_take_spec(ret, &spec);
}

struct known_use { /* of a node, by jobs that are shown to this user */
    uint32_t cpus, gpus;
};

/* By the hash of the node's name; the caller frees the values. */
static void planner_count_known(const struct model *m, struct idmap *ret)
{
    list_for_each (j, &m->active, struct job, in_queue)
        for (size_t i = 0; j->holding && i < j->alloc.n; i++) {
            const struct alloc *a = &j->alloc.v[i];
            uint64_t key = hash_bytes(a->node, strlen(a->node));
            struct known_use *use = idmap_get(ret, key);
            if (!use) {
                use = xcalloc(1, sizeof *use);
                idmap_set(ret, key, use);
            }
            use->cpus += cpuset_count(&a->cpus);
            use->gpus += cpuset_count(&a->gpus);
        }
}

/* What jobs have there that are not shown to this user is not to be given. */
static void planner_take_hidden(struct node *n, uint32_t known_cpus, uint32_t known_gpus)
{
    uint32_t cpus = cpuset_count(&n->cpus_used), gpus = cpuset_count(&n->gpus_used);
    n->cpus_used = n->gpus_used = (struct cpuset){{0}};
    n->mem_used_mib = 0;
    n->n_jobs = 0;
    if (cpus <= known_cpus && gpus <= known_gpus)
        return;
    struct node_rare *rare = node_rare_mut(n);
    rare->n_unknown = 1;
    cpuset_add_range(&rare->unknown_cpus, 0, cpus > known_cpus ? cpus - known_cpus : 0);
    cpuset_add_range(&rare->unknown_gpus, 0, gpus > known_gpus ? gpus - known_gpus : 0);
}

static void planner_copy_nodes(const struct model *m, struct model *ret)
{
    struct idmap known = {0};
    planner_count_known(m, &known);
    for (size_t i = 0; i < m->n_nodes; i++) {
        struct node n = {0};
        const char *name = m->nodes[i]->spec.name;
        const struct known_use *use = idmap_get(&known, hash_bytes(name, strlen(name)));
        rec_copy(&node_rec, &n, m->nodes[i]);
        planner_take_hidden(&n, use ? use->cpus : 0, use ? use->gpus : 0);
        model_take_node(ret, &n);
    }
    idmap_for_each (&known, slot)
        free(slot->value);
    idmap_fini(&known);
}

/* Slurm says that nothing but its turn, room or a time keeps it. */
static bool planner_may_forecast(const struct job *j)
{
    const char *detail = job_rare(j)->reason_detail;
    if (j->hold != HOLD_NONE || (detail && !str_starts(detail, "ReqNodeNotAvail")))
        return false;
    return detail || j->reason == REASON_NONE || j->reason == REASON_PRIORITY ||
           j->reason == REASON_RESOURCES || j->reason == REASON_BEGIN_TIME ||
           j->reason == REASON_ARRAY_LIMIT || j->reason == REASON_NODE_NOT_AVAIL ||
           j->reason == REASON_MAINTENANCE || j->reason == REASON_RESERVATION;
}

/* Only what the planner reads. */
static struct job *planner_copy_job(const struct job *from, bool has_memory)
{
    const struct job_req *r = &from->req;
    struct job *j = job_new();
    j->id = from->id;
    j->kind = JOB_KIND_BATCH;
    j->state = from->state;
    j->uid = from->uid;
    j->user = planner_copy(from->user ? from->user : "?");
    j->partition = planner_copy(from->partition);
    j->array_job = from->array_job;
    j->array_index = from->array_index;
    *job_origin_mut(j) = (struct job_origin){.array_count = job_origin(from)->array_count,
                                             .array_min = job_origin(from)->array_min,
                                             .array_max = job_origin(from)->array_max,
                                             .array_step = job_origin(from)->array_step};
    for (size_t i = 0; i < job_rare(from)->array_pending.n; i++)
        *rec_list_push(&job_rare_mut(j)->array_pending) = job_rare(from)->array_pending.v[i];
    for (size_t i = 0; i < from->alloc.n; i++)
        rec_copy(&alloc_rec, rec_list_push(&j->alloc), &from->alloc.v[i]);
    j->holding = from->holding;
    j->t_submit = from->t_submit;
    j->t_eligible = from->t_eligible;
    j->t_start = from->t_start;
    j->time_limit_s = from->time_limit_s;
    j->req.name = planner_copy(r->name);
    j->req.partition = planner_copy(from->partition);
    j->req.nodes_min = r->nodes_min;
    j->req.nodes_max = r->nodes_max;
    j->req.ntasks = r->ntasks;
    j->req.cpus_per_task = r->cpus_per_task;
    j->req.gpus = r->gpus;
    struct job_req_detail *detail = req_detail_mut(&j->req);
    detail->gpu_type = planner_copy(req_detail(r)->gpu_type);
    j->req.mem_node_mib = has_memory ? r->mem_node_mib : MEM_NOT_GIVEN;
    detail->features = planner_copy(req_detail(r)->features);
    j->req.time_limit_s = r->time_limit_s;
    detail->begin = req_detail(r)->begin;
    j->req.array_throttle = r->array_throttle;
    detail->has_priority = true;
    detail->priority = from->priority;
    if (from->state == JOB_PENDING && !planner_may_forecast(from))
        j->hold = HOLD_ADMIN;
    if (req_rare(r)->reservation)
        req_rare_mut(&j->req)->reservation = planner_copy(req_rare(r)->reservation);
    return j;
}

static void planner_copy_windows(const struct model *m, struct model *ret)
{
    struct window *v = xcalloc(m->windows.n + 1, sizeof *v);
    for (size_t i = 0; i < m->windows.n; i++)
        rec_copy(&window_rec, &v[i], &m->windows.v[i]);
    model_take_windows(ret, v, m->windows.n);
}

void slurm_planner_model(const struct model *m, bool has_memory, struct model *ret)
{
    model_init(ret);
    ret->now = m->now;
    ret->seq = 1;
    ret->next_job = m->next_job;
    planner_copy_spec(m, ret);
    planner_copy_nodes(m, ret);
    planner_copy_windows(m, ret);
    list_for_each (j, &m->all, struct job, in_all)
        if (!job_state_is_final((enum job_state)j->state))
            model_take_job(ret, planner_copy_job(j, has_memory));
}

/* --- a forecast, in slices --- */

static void slurm_plan_free(struct slurm_plan *p)
{
    if (!p)
        return;
    sched_result_fini(&p->result);
    planner_free(p->planner);
    model_fini(&p->model);
    free(p);
}

static struct sched_view slurm_plan_view(const struct slurm_plan *p)
{
    return (struct sched_view){.model = &p->model};
}

static void slurm_planner_begin(struct slurm_planner *p)
{
    struct slurm_plan *plan = p->making = xcalloc(1, sizeof *plan);
    struct mono t0 = mono_read();
    slurm_planner_model(slurm_mirror_model(p->mirror), slurm_mirror_has_memory(p->mirror), &plan->model);
    plan->planner = planner_new();
    sched_result_init(&plan->result);
    p->now = plan->model.now = loop_wall(p->loop);
    p->stage = STAGE_PREPARE;
    p->cost_ms = (mono_read().ns - t0.ns) / NS_PER_MS;
}

/* One piece of work. */
static void slurm_planner_step(struct slurm_planner *p)
{
    struct slurm_plan *plan = p->making;
    struct sched_view v = slurm_plan_view(plan);
    struct forecaster *f = planner_forecaster(plan->planner);
    switch (p->stage) {
    case STAGE_PREPARE:
        if (planner_prepare(plan->planner, &v, p->now, PREPARE_UNITS))
            p->stage = STAGE_CYCLE;
        return;
    case STAGE_CYCLE:
        if (!planner_cycle_slice(plan->planner, &v, p->now, CYCLE_LOOKS, &plan->result))
            return;
        forecast_begin(f, &v, p->now);
        p->stage = STAGE_FORECAST;
        return;
    case STAGE_FORECAST:
        if (forecast_step(f, &v, FORECAST_JOBS))
            p->stage = STAGE_IDLE;
        return;
    case STAGE_IDLE: return;
    }
}

/* Where the planner would start it at once; NULL: it would not. */
static const struct sched_start *slurm_plan_start_of(const struct slurm_plan *p, uint32_t job)
{
    vec_for_each (&p->result.starts, i)
        if (p->result.starts.v[i].job == job)
            return &p->result.starts.v[i];
    return NULL;
}

static struct wall slurm_plan_forecast(const struct slurm_planner *p, const struct slurm_plan *plan,
                                       uint32_t job)
{
    struct forecast f = forecast_of(planner_forecaster(plan->planner), job);
    return slurm_plan_start_of(plan, job) ? p->now : f.start;
}

static void slurm_planner_end(struct slurm_planner *p)
{
    slurm_plan_free(p->made);
    p->made = p->making;
    p->making = NULL;
    p->ended = loop_now(p->loop);
    list_for_each (j, &p->made->model.pending, struct job, in_queue) {
        struct wall start = slurm_plan_forecast(p, p->made, j->id);
        if (wall_is_set(start))
            forecast_scores_tell(p->scores->of[SCORE_STOKER], j->id,
                                 &(struct forecast_told){.made = p->now, .start = start});
    }
    p->done(p->ctx);
}

static void slurm_planner_on_timer(void *ctx)
{
    struct slurm_planner *p = ctx;
    struct mono t0 = mono_read();
    while (p->stage != STAGE_IDLE && mono_read().ns - t0.ns < SLICE_MS * NS_PER_MS)
        slurm_planner_step(p);
    p->cost_ms += (mono_read().ns - t0.ns) / NS_PER_MS;
    if (p->stage != STAGE_IDLE)
        loop_timer_set(p->loop, &p->timer, 1);
    else
        slurm_planner_end(p);
}

/* --- for the server --- */

struct slurm_planner *slurm_planner_new(struct loop *l, const struct slurm_mirror *mirror,
                                        struct slurm_scores *scores, void (*done)(void *ctx), void *ctx)
{
    struct slurm_planner *p = xcalloc(1, sizeof *p);
    *p = (struct slurm_planner){.loop = l, .mirror = mirror, .scores = scores, .done = done, .ctx = ctx};
    p->timer = (struct loop_timer){.fn = slurm_planner_on_timer, .ctx = p};
    return p;
}

void slurm_planner_free(struct slurm_planner *p)
{
    if (!p)
        return;
    loop_timer_cancel(p->loop, &p->timer);
    slurm_plan_free(p->made);
    slurm_plan_free(p->making);
    free(p);
}

void slurm_planner_want(struct slurm_planner *p)
{
    int64_t pause = p->cost_ms * COST_FACTOR > PAUSE_MS ? p->cost_ms * COST_FACTOR : PAUSE_MS;
    bool old = !p->ended.ns || (loop_now(p->loop).ns - p->ended.ns) / NS_PER_MS >= pause;
    if (p->stage != STAGE_IDLE || !old)
        return;
    slurm_planner_begin(p);
    loop_timer_set(p->loop, &p->timer, 1);
}

bool slurm_planner_is_ready(const struct slurm_planner *p)
{
    return p->made;
}

/* What waits by the planner's model has Slurm's words and Slurm's start beside the planner's. */
static void slurm_planner_label(const struct slurm_planner *p, struct plan_row *row)
{
    const struct job *j = model_get_job(slurm_mirror_model(p->mirror), row->job);
    const struct sched_start *s = row->kind != PLAN_RUNNING ? slurm_plan_start_of(p->made, row->job) : NULL;
    if (!j || row->kind == PLAN_RUNNING)
        return;
    row->priority = j->priority;
    row->reason = j->reason;
    row->engine_start = job_rare(j)->t_expected;
    if (row->kind == PLAN_HELD) /* no place is held in Slurm */
        row->kind = PLAN_FORECAST;
    if (!s || wall_is_set(row->start))
        return;
    struct strv names = {0};
    for (size_t i = 0; i < s->start.alloc.n; i++)
        strv_push(&names, s->start.alloc.v[i].node);
    row->kind = PLAN_FORECAST;
    row->start = p->now;
    row->end = s->start.time_limit_s == DURATION_UNLIMITED ? (struct wall){0}
                                                           : wall_add_s(p->now, s->start.time_limit_s);
    row->nodes = names.n ? hostlist_compress(&names) : NULL;
    strv_fini(&names);
}

void slurm_planner_report(struct slurm_planner *p, const struct plan_filter *filter, struct msg_plan *ret)
{
    struct sched_view v = slurm_plan_view(p->made);
    planner_report(p->made->planner, &v, p->made->model.now, filter, ret);
    for (size_t i = 0; i < ret->rows.n; i++)
        slurm_planner_label(p, &ret->rows.v[i]);
    ret->now = loop_wall(p->loop);
    rec_fini(&msg_scores_rec, &ret->scores);
    forecast_scores_save(p->scores->of[SCORE_STOKER], &ret->scores);
}
