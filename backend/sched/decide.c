/* decide.c - one pass over the queue: gates first, then resources, in the order of submission. */
#include <errno.h>
#include <stdlib.h>

#include "backend/sched/fit.h"
#include "backend/sched/gate.h"
#include "src/base/units.h"

void sched_result_init(struct sched_result *r)
{
    *r = (struct sched_result){0};
}

void sched_result_fini(struct sched_result *r)
{
    vec_for_each (&r->starts, i)
        rec_fini(&ev_start_rec, &r->starts.v[i].start);
    vec_for_each (&r->places, i)
        rec_fini(&ev_place_rec, &r->places.v[i].place);
    vec_fini(&r->starts);
    vec_for_each (&r->blocked, i)
        free(r->blocked.v[i].partition);
    vec_fini(&r->places);
    vec_fini(&r->blocked);
    vec_fini(&r->never);
    sched_result_init(r);
}

/* A pass under way. */
struct pass {
    const struct sched_view *v;
    struct wall now;
    struct fit_node *nodes;
    struct sched_result *out;
    size_t n_blocked; /* partitions that take nothing more */
};

/* NULL where no such partition is configured. */
static struct sched_blocked *blocked_named(const struct pass *p, const char *name)
{
    vec_for_each (&p->out->blocked, i)
        if (str_eq(p->out->blocked.v[i].partition, name))
            return &p->out->blocked.v[i];
    return NULL;
}

static struct sched_blocked *blocked_of(const struct pass *p, const struct part_spec *part)
{
    struct sched_blocked *b = blocked_named(p, part->name);
    bug_on(!b);
    return b;
}

static void block(struct pass *p, const struct part_spec *part, uint32_t job)
{
    struct sched_blocked *b = blocked_of(p, part);
    if (b->job)
        return;
    b->job = job;
    p->n_blocked++;
}

static void wake_at(struct pass *p, struct wall t)
{
    if (!wall_is_set(p->out->next) || t.ms < p->out->next.ms)
        p->out->next = t;
}

/* It fits in none of those now: it holds back what stands behind it, but only where it could run one day.
 * What can never run must not stop a partition. */
static void hold_back(struct pass *p, const struct job *j, const struct fit_request *r,
                      const struct part_spec *const *tried, size_t n)
{
    bool ever = false;
    for (size_t i = 0; i < n; i++) {
        if (!fit_ever(p->v->model, tried[i], r, NULL))
            continue;
        block(p, tried[i], j->id);
        ever = true;
    }
    if (n && !ever)
        vec_push(&p->out->never, j->id);
}

/* Tries those of the partitions that are open to the job, in its order. The first that it fits in takes it;
 * only a job that fits in none of them holds back those behind it. */
static const struct part_spec *place(struct pass *p, const struct job *j, const struct strv *names,
                                     const struct fit_request *r, struct alloc **ret_alloc, size_t *ret_n)
{
    VEC(const struct part_spec *) tried = VEC_INIT;
    const struct part_spec *taken = NULL;
    for (size_t i = 0; i < names->n && !taken; i++) {
        const struct part_spec *part = model_get_part(p->v->model, names->v[i]);
        if (gate_partition(p->v, j->uid, &j->req, part, NULL) != REASON_NONE || blocked_of(p, part)->job)
            continue;
        struct fit_refusals why;
        if (fit_place(p->v->model, p->nodes, part, r, ret_alloc, ret_n, &why) == 0)
            taken = part;
        else
            vec_push(&tried, part);
    }
    if (!taken)
        hold_back(p, j, r, tried.v, tried.n);
    vec_fini(&tried);
    return taken;
}

static uint32_t limit_in(const struct job *j, const struct part_spec *part)
{
    if (j->req.time_limit_s != DURATION_NOT_SET)
        return j->req.time_limit_s;
    return part->default_time_s != DURATION_NOT_SET ? part->default_time_s : part->max_time_s;
}

/* Elements of its array that may start beside those that run or have just been started. */
static uint32_t array_room(const struct pass *p, const struct job *j)
{
    if (!j->array_job || !j->req.array_throttle)
        return UINT32_MAX;
    uint32_t n = 0;
    list_for_each (a, &p->v->model->active, struct job, in_queue)
        n += a->array_job == j->array_job;
    vec_for_each (&p->out->starts, i)
        n += model_get_job(p->v->model, p->out->starts.v[i].job)->array_job == j->array_job;
    return n < j->req.array_throttle ? j->req.array_throttle - n : 0;
}

/* Starts the job, or one element of the array; false where it does not fit. */
static bool start(struct pass *p, const struct job *j, const struct strv *names,
                  const struct fit_request *r, uint32_t index)
{
    struct sched_start s = {.job = j->id, .array_index = index, .start = {.array_index = index}};
    const struct part_spec *part = place(p, j, names, r, &s.start.alloc.v, &s.start.alloc.n);
    if (!part)
        return false;
    s.start.partition = xstrdup(part->name);
    s.start.time_limit_s = limit_in(j, part);
    vec_push(&p->out->starts, s);
    return true;
}

/* Starts the job, or as many elements of the array as fit and its throttle allows. */
static void try_job(struct pass *p, const struct job *j)
{
    struct fit_request r = {.req = &j->req, .gpu_type = j->req.gpu_type};
    job_need(&j->req, &r.need);
    struct strv names = gate_partitions(p->v->model, j);
    uint32_t room = array_room(p, j);
    bool fits = room > 0;
    if (fits && !job_is_array_record(j))
        start(p, j, &names, &r, ARRAY_NONE);
    for (size_t k = 0; k < j->array_pending.n && fits; k++) {
        const struct index_range *range = &j->array_pending.v[k];
        for (uint64_t i = range->first; i <= range->last && fits; i += range->step)
            fits = room-- > 0 && start(p, j, &names, &r, (uint32_t)i);
    }
    strv_fini(&names);
}

/* Where the tasks of a step job may go: with its first one it has chosen its partition. */
static struct strv task_partitions(const struct pass *p, const struct job *j)
{
    if (j->state == JOB_PENDING)
        return gate_partitions(p->v->model, j);
    struct strv names = {0};
    if (j->partition)
        strv_push(&names, j->partition);
    return names;
}

static bool place_task(struct pass *p, const struct job *j, const struct step *s, const struct task *t,
                       struct strv *names)
{
    struct fit_request r = {
        .req = &j->req, .gpu_type = s->gpu_type ? s->gpu_type : j->req.gpu_type, .one_task = true};
    step_task_need(s, &r.need);
    struct alloc *alloc = NULL;
    size_t n = 0;
    const struct part_spec *part = place(p, j, names, &r, &alloc, &n);
    if (!part)
        return false;
    struct sched_place out = {.job = j->id,
                              .place = {.step = s->id,
                                        .task = t->index,
                                        .alloc = alloc[0],
                                        .partition = xstrdup(part->name),
                                        .time_limit_s = limit_in(j, part)}};
    free(alloc);
    vec_push(&p->out->places, out);
    strv_fini(names);
    strv_push(names, part->name);
    return true;
}

static void try_tasks(struct pass *p, const struct job *j)
{
    struct strv names = task_partitions(p, j);
    bool fits = true;
    for (size_t i = 0; i < j->steps.n; i++) {
        const struct step *s = &j->steps.v[i];
        for (size_t k = 0; k < s->tasks.n && !s->done && fits; k++)
            if (s->tasks.v[k].state == TASK_WAITING)
                fits = place_task(p, j, s, &s->tasks.v[k], &names);
    }
    strv_fini(&names);
}

/* The one partition that it asks for takes nothing more: known without looking closer, which matters with
 * many behind one that is full. */
static bool is_behind(const struct pass *p, const struct job *j)
{
    const char *name = gate_single(p->v->model, j);
    const struct sched_blocked *b = name ? blocked_named(p, name) : NULL;
    return b && b->job;
}

static bool all_blocked(const struct pass *p)
{
    return p->n_blocked == p->out->blocked.n;
}

void sched_decide(const struct sched_view *v, struct wall now, struct sched_result *ret)
{
    const struct model *m = v->model;
    struct pass p = {.v = v, .now = now, .nodes = fit_nodes_new(m, false), .out = ret};
    for (size_t i = 0; i < m->spec.parts.n; i++)
        vec_push(&ret->blocked, (struct sched_blocked){.partition = xstrdup(m->spec.parts.v[i].name)});
    /* Tasks of step jobs that have begun come before jobs that have not. */
    list_for_each (j, &m->active, struct job, in_queue)
        if (j->kind == JOB_KIND_STEPS && j->state == JOB_RUNNING && !all_blocked(&p))
            try_tasks(&p, j);
    list_for_each (j, &m->pending, struct job, in_queue) {
        if (all_blocked(&p))
            break;
        if (is_behind(&p, j))
            continue;
        struct wall clears = {0};
        if (gate_job(v, j, now, &clears) != REASON_NONE) {
            if (wall_is_set(clears))
                wake_at(&p, clears);
            continue;
        }
        if (j->kind == JOB_KIND_STEPS)
            try_tasks(&p, j);
        else
            try_job(&p, j);
    }
    free(p.nodes);
}
