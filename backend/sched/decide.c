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
    vec_fini(&r->places);
    vec_fini(&r->blocked);
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

static struct sched_blocked *blocked_of(struct pass *p, const struct part_spec *part)
{
    vec_for_each (&p->out->blocked, i)
        if (str_eq(p->out->blocked.v[i].partition, part->name))
            return &p->out->blocked.v[i];
    bug_on(true);
    return NULL;
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

/* Tries the partitions that the request names, in its order. The first that it fits in takes it. */
static const struct part_spec *place(struct pass *p, const struct job *j, const struct fit_request *r,
                                     struct alloc **ret_alloc, size_t *ret_n)
{
    struct strv names = gate_partitions(p->v->model, j);
    const struct part_spec *taken = NULL;
    for (size_t i = 0; i < names.n && !taken; i++) {
        const struct part_spec *part = model_get_part(p->v->model, names.v[i]);
        if (gate_partition(p->v, j->uid, &j->req, part, NULL) != REASON_NONE || blocked_of(p, part)->job)
            continue;
        struct fit_refusals why;
        if (fit_place(p->v->model, p->nodes, part, r, ret_alloc, ret_n, &why) == 0)
            taken = part;
        else
            block(p, part, j->id);
    }
    strv_fini(&names);
    return taken;
}

static uint32_t limit_in(const struct job *j, const struct part_spec *part)
{
    if (j->req.time_limit_s != DURATION_NOT_SET)
        return j->req.time_limit_s;
    return part->default_time_s != DURATION_NOT_SET ? part->default_time_s : part->max_time_s;
}

static uint32_t running_elements(const struct model *m, uint32_t array_job)
{
    uint32_t n = 0;
    list_for_each (j, &m->active, struct job, in_queue)
        n += j->array_job == array_job;
    return n;
}

/* Starts the job, or as many elements of the array as fit and its throttle allows. */
static void try_job(struct pass *p, const struct job *j)
{
    struct fit_request r = {.req = &j->req, .gpu_type = j->req.gpu_type};
    job_need(&j->req, &r.need);
    bool array = job_is_array_record(j);
    uint32_t room = UINT32_MAX;
    if (array && j->req.array_throttle) {
        uint32_t running = running_elements(p->v->model, j->array_job);
        room = running < j->req.array_throttle ? j->req.array_throttle - running : 0;
    }
    for (size_t k = 0; k < (array ? j->array_pending.n : 1); k++) {
        struct index_range range = {.first = ARRAY_NONE, .last = ARRAY_NONE, .step = 1};
        if (array)
            range = j->array_pending.v[k];
        for (uint64_t index = range.first; index <= range.last && room; index += range.step, room--) {
            struct sched_start s = {.job = j->id, .array_index = (uint32_t)index};
            struct alloc *alloc = NULL;
            size_t n = 0;
            const struct part_spec *part = place(p, j, &r, &alloc, &n);
            if (!part)
                return;
            s.start.array_index = (uint32_t)index;
            s.start.partition = xstrdup(part->name);
            s.start.alloc.v = alloc;
            s.start.alloc.n = n;
            s.start.time_limit_s = limit_in(j, part);
            vec_push(&p->out->starts, s);
        }
    }
}

static void try_tasks(struct pass *p, const struct job *j)
{
    for (size_t i = 0; i < j->steps.n; i++) {
        const struct step *s = &j->steps.v[i];
        for (size_t k = 0; k < s->tasks.n && !s->done; k++) {
            if (s->tasks.v[k].state != TASK_WAITING)
                continue;
            struct fit_request r = {
                .req = &j->req, .gpu_type = s->gpu_type ? s->gpu_type : j->req.gpu_type, .one_task = true};
            step_task_need(s, &r.need);
            struct alloc *alloc = NULL;
            size_t n = 0;
            const struct part_spec *part = place(p, j, &r, &alloc, &n);
            if (!part)
                return;
            struct sched_place out = {.job = j->id,
                                      .place = {.step = s->id,
                                                .task = s->tasks.v[k].index,
                                                .alloc = alloc[0],
                                                .partition = xstrdup(part->name),
                                                .time_limit_s = limit_in(j, part)}};
            free(alloc);
            vec_push(&p->out->places, out);
        }
    }
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
        vec_push(&ret->blocked, (struct sched_blocked){.partition = m->spec.parts.v[i].name});
    /* Tasks of step jobs that have begun come before jobs that have not. */
    list_for_each (j, &m->active, struct job, in_queue)
        if (j->kind == JOB_KIND_STEPS && j->state == JOB_RUNNING && !all_blocked(&p))
            try_tasks(&p, j);
    list_for_each (j, &m->pending, struct job, in_queue) {
        if (all_blocked(&p))
            break;
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
