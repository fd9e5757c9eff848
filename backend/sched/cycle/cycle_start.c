/* cycle_start.c - a start within the cycle: resources, limits and the result. */
#include <stdlib.h>

#include "backend/sched/cycle/cycle_internal.h"
#include "src/model/task_parts.h"

uint32_t cycle_nth_element(const struct job *j, uint32_t n)
{
    for (size_t i = 0; i < job_rare(j)->array_pending.n; i++) {
        const struct index_range *r = &job_rare(j)->array_pending.v[i];
        uint32_t here = (r->last - r->first) / r->step + 1;
        if (n < here)
            return r->first + n * r->step;
        n -= here;
    }
    return ARRAY_NONE;
}

/* The next waiting task. */
static const struct task *cycle_start_next_waiting(const struct step *s, struct pending_entry *u)
{
    if (u->task_at < step_live_begin(s))
        u->task_at = (uint32_t)step_live_begin(s);
    while (u->task_at < s->tasks.n && s->tasks.v[u->task_at].state != TASK_WAITING)
        u->task_at++;
    if (u->task_at >= s->tasks.n)
        return NULL;
    const struct task *t = &s->tasks.v[u->task_at];
    u->task_at = (uint32_t)task_parts_end(s, u->task_at);
    return t;
}

/* Of a task over several nodes those behind the first one. */
static void cycle_start_set_nodes(struct ev_place *place, struct alloc *alloc, size_t n)
{
    place->alloc = alloc[0];
    for (size_t i = 1; i < n; i++)
        *(struct alloc *)rec_list_push(&place->more) = alloc[i];
}

static void cycle_start_start_task(struct planner *p, const struct job *j, struct pending_entry *u,
                                   const char *part, const struct placement *at, bool borrow)
{
    const struct step *s = &j->steps.v[u->step_at];
    const struct task *t = cycle_start_next_waiting(s, u);
    struct alloc *alloc;
    size_t n;
    bool whole = alloc_take(p->taken, p->queue.cycle_no, p->queue.view->model, &at->parts, &alloc, &n);
    struct sched_place out = {.job = j->id,
                              .place = {.step = s->id,
                                        .task = t->index,
                                        .partition = xstrdup(part),
                                        .time_limit_s = limit_seconds(at->len),
                                        .borrowed = borrow}};
    cycle_start_set_nodes(&out.place, alloc, n);
    free(alloc);
    if (whole)
        vec_push(&p->out->places, out);
    else
        rec_fini(&ev_place_rec, &out.place);
}

static void cycle_start_start_job(struct planner *p, const struct job *j, const struct pending_entry *u,
                                  const char *part, const struct placement *at, bool borrow)
{
    uint32_t index = job_is_array_record(j) ? cycle_nth_element(j, u->at) : ARRAY_NONE;
    struct sched_start out = {.job = j->id,
                              .array_index = index,
                              .start = {.array_index = index,
                                        .partition = xstrdup(part),
                                        .time_limit_s = limit_seconds(at->len),
                                        .borrowed = borrow}};
    /* The node has less than the pool says: the job does not start. */
    if (alloc_take(p->taken, p->queue.cycle_no, p->queue.view->model, &at->parts, &out.start.alloc.v,
                   &out.start.alloc.n))
        vec_push(&p->out->starts, out);
    else
        rec_fini(&ev_start_rec, &out.start);
}

static bool cycle_start_use_has(const struct pool_use *use, uint32_t node)
{
    for (uint32_t i = 0; i < use->n_parts; i++)
        if (use->parts[i].node == node)
            return true;
    return false;
}

/* By its active allocations and the starts of this cycle. */
static bool cycle_start_is_on_node(const struct planner *p, uint32_t job, uint32_t node)
{
    const struct active_job *r = idmap_get(&p->queue.active.by_job, job);
    for (size_t i = 0; r && i < r->v.n; i++)
        if (cycle_start_use_has(&r->v.v[i]->use, node))
            return true;
    vec_for_each (&p->queue.active.started, i)
        if (p->queue.active.started.v[i]->job == job &&
            cycle_start_use_has(&p->queue.active.started.v[i]->use, node))
            return true;
    return false;
}

struct limit_request cycle_request_at(const struct planner *p, const struct job_class *g,
                                      const struct pending_entry *u, uint32_t choice,
                                      const struct pool_parts *parts, int64_t len)
{
    struct limit_request request = g->requests[choice];
    request.jobs = u->chosen ? 0 : request.jobs;
    limit_request_set_placement(parts, len, &request);
    bool is_task = g->choices[choice].demand->one_task && limits_count_nodes(p->queue.limits);
    for (size_t i = 0; is_task && i < parts->v.n && request.nodes; i++)
        request.nodes -= cycle_start_is_on_node(p, u->job, parts->v.v[i].node);
    return request;
}

void cycle_start(struct cycle *s, struct job_class *g, struct pending_entry *u)
{
    struct planner *p = s->p;
    const struct model *m = p->queue.view->model;
    const struct job *j = queue_job(&p->queue, u->job);
    uint32_t choice = s->positions[s->place.choice].at;
    bool borrow = s->positions[s->place.choice].soft;
    const char *part = m->spec.parts.v[g->choices[choice].partition].name;
    struct tentative *t = xcalloc(1, sizeof *t);
    t->request =
        cycle_request_at(p, g, u, choice, &s->place.parts, s->place.len); /* before it is on its nodes */
    limits_charge(p->queue.limits, &t->request);
    t->job = u->job;
    t->array_job = j->array_job;
    pool_run(&p->queue.pool, &t->use, &s->place.parts, when_plus(p->queue.now.ms, s->place.len));
    vec_push(&p->queue.active.started, t);
    active_count_element(&p->queue, j->array_job, 1);
    if (g->licensed && !u->chosen) {
        licence_take(&p->preempt.licences, m, j);
        t->licences = &g->licences;
        p->preempt.licence_changes++;
    }
    if (j->kind == JOB_KIND_STEPS)
        cycle_start_start_task(p, j, u, part, &s->place, borrow);
    else
        cycle_start_start_job(p, j, u, part, &s->place, borrow);
    if (j->kind == JOB_KIND_STEPS) {
        u->chosen = g->shapes[choice];
        u->chosen_len = s->place.len;
    }
    forecast_learn(&p->forecast, u);
    u->count--;
    u->at++;
    queue_note_job(&p->queue, u->job);
}
