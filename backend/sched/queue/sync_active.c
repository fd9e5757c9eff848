/* sync_active.c - active jobs: each allocation lies on the pool until the end that its time limit promises.
 */
#include <stdlib.h>

#include "backend/sched/queue/queue.h"

#define ENDING_MS  1000  /* between KILL and the end */
#define LEAVING_MS 60000 /* after its end was due, another job is preempted instead */

/* An overdue end is expected a moment later, again and again, on the grid of pool_advance, so that it does
 * not depend on when the job is read. */
static int64_t sync_active_not_before_now(const struct queue *q, int64_t end)
{
    return end > q->now.ms ? end : end + ((q->now.ms - end) / OVERDUE_MS + 1) * OVERDUE_MS;
}

static int64_t sync_active_end_by_limit(const struct queue *q, const struct job *j)
{
    if (j->time_limit_s == DURATION_UNLIMITED || j->time_limit_s == DURATION_NOT_SET)
        return WHEN_NEVER;
    int64_t len = (int64_t)j->time_limit_s * MS_PER_S;
    return j->state == JOB_SUSPENDED ? q->now.ms + len
                                     : j->t_start.ms + (int64_t)job_rare(j)->suspended_ms + len;
}

static int64_t sync_active_end_by_kill(const struct job *j)
{
    const struct job_rare *r = job_rare(j);
    return wall_is_set(r->t_kill) ? r->t_kill.ms + (int64_t)r->kill_grace_s * MS_PER_S + ENDING_MS
                                  : j->t_start.ms;
}

int64_t active_end_of(const struct queue *q, const struct job *j)
{
    int64_t end = sync_active_end_by_limit(q, j);
    if (j->state == JOB_COMPLETING && sync_active_end_by_kill(j) < end)
        end = sync_active_end_by_kill(j);
    return end == WHEN_NEVER ? end : sync_active_not_before_now(q, end);
}

void active_count_element(struct queue *q, uint32_t array, intptr_t by)
{
    if (!array)
        return;
    intptr_t n = (intptr_t)idmap_get(&q->active.array_running, array) + by;
    if (n > 0)
        idmap_set(&q->active.array_running, array, (void *)n);
    else
        idmap_remove(&q->active.array_running, array);
}

static struct active_job *sync_active_runs_of(struct queue *q, const struct job *j)
{
    struct active_job *r = idmap_get(&q->active.by_job, j->id);
    if (r)
        return r;
    r = xcalloc(1, sizeof *r);
    r->job = j->id;
    r->array_job = j->array_job;
    list_init(&r->in_leaving);
    list_init(&r->in_candidates);
    list_append(&q->active.list, &r->link);
    idmap_set(&q->active.by_job, j->id, r);
    active_count_element(q, j->array_job, 1);
    return r;
}

static void sync_active_add_part(const struct queue *q, struct pool_parts *parts, const struct alloc *a)
{
    uint32_t at = queue_find_node(q, a->node);
    if (at == UINT32_MAX)
        return;
    struct amount amount = {cpuset_count(&a->cpus), (int64_t)a->mem_mib, cpuset_count(&a->gpus)};
    vec_push(&parts->v, (struct pool_part){.node = at, .amount = amount});
}

/* Tasks come in the same order each time, and attempts only grow: it is the next one, or new. */
static struct active_alloc *sync_active_find_run(struct active_job *r, uint32_t attempt)
{
    if (attempt > r->attempt_max)
        return NULL;
    for (size_t k = 0; k < r->v.n; k++) {
        size_t i = (r->at + k) % r->v.n;
        if (r->v.v[i]->attempt != attempt)
            continue;
        r->at = i + 1;
        return r->v.v[i];
    }
    return NULL;
}

/* Puts one allocation of j on the pool until `end`, or updates it. */
static void sync_active_sync_run(struct queue *q, struct active_job *r, uint32_t attempt,
                                 const struct alloc *a, size_t n, int64_t end)
{
    struct active_alloc *run = sync_active_find_run(r, attempt);
    if (run) {
        run->seen = true;
        if (run->use.end == end || !run->use.parts)
            return;
        if (end < run->use.end) {
            plan_slots_note_freed_all(&q->slots, &run->use);
            q->changes.freed = true;
        }
        q->changes.lost = q->changes.lost || end > run->use.end;
        pool_change_end(&q->pool, &run->use, end);
        return;
    }
    struct pool_parts parts = {.who = r->who};
    for (size_t i = 0; i < n; i++)
        sync_active_add_part(q, &parts, &a[i]);
    run = xcalloc(1, sizeof *run);
    *run = (struct active_alloc){.attempt = attempt, .seen = true};
    if (parts.v.n)
        pool_run(&q->pool, &run->use, &parts, end);
    vec_push(&r->v, run);
    r->attempt_max = attempt > r->attempt_max ? attempt : r->attempt_max;
    vec_fini(&parts.v);
}

static void sync_active_sync_tasks(struct queue *q, struct active_job *r, const struct job *j, int64_t end)
{
    for (size_t i = 0; i < j->steps.n; i++)
        for (size_t k = step_live_begin(&j->steps.v[i]); k < step_live_end(&j->steps.v[i]); k++) {
            const struct task *t = &j->steps.v[i].tasks.v[k];
            if (t->state == TASK_LAUNCHING || t->state == TASK_RUNNING)
                sync_active_sync_run(q, r, t->attempt, &t->alloc, 1, end);
        }
}

static void sync_active_sweep_runs(struct queue *q, struct active_job *r)
{
    size_t kept = 0;
    vec_for_each (&r->v, i) {
        struct active_alloc *run = r->v.v[i];
        if (run->seen) {
            r->v.v[kept++] = run;
            continue;
        }
        plan_slots_note_freed_all(&q->slots, &run->use);
        pool_drop(&q->pool, &run->use);
        free(run);
        q->changes.freed = true;
    }
    r->v.n = kept;
}

void sync_drop_active(struct queue *q, struct active_job *r)
{
    vec_for_each (&r->v, i)
        r->v.v[i]->seen = false;
    sync_active_sweep_runs(q, r);
    vec_fini(&r->v);
    active_count_element(q, r->array_job, -1);
    idmap_remove(&q->active.by_job, r->job);
    list_unlink(&r->link);
    list_unlink(&r->in_leaving);
    list_unlink(&r->in_candidates);
    heap_remove(&q->active.exempt, &r->by_exemption);
    free(r);
    q->changes.freed = true; /* a throttle or a limit may allow more */
}

void held_licences_free(struct held_licences *h)
{
    if (!h)
        return;
    free(h->text);
    licence_fini(&h->list);
    free(h);
}

void sync_licences(struct queue *q, uint32_t id, const struct job *j)
{
    const struct model *m = q->view->model;
    const char *now = j && licence_holds(j) ? req_detail(&j->req)->licenses : NULL;
    struct held_licences *had = m->spec.licenses.n ? idmap_get(&q->active.licensed, id) : NULL;
    if (!m->spec.licenses.n || (had ? now && str_eq(now, had->text) : !now))
        return;
    if (had)
        licence_book(&q->active.licences, m, had->text, true);
    held_licences_free(idmap_remove(&q->active.licensed, id));
    if (now) {
        struct held_licences *h = xcalloc(1, sizeof *h);
        h->text = xstrdup(now);
        licence_list_held(m, now, &h->list);
        licence_book(&q->active.licences, m, now, false);
        idmap_set(&q->active.licensed, id, h);
    }
}

struct active_job *sync_active(struct queue *q, uint32_t id, const struct job *j)
{
    struct active_job *r = idmap_get(&q->active.by_job, id);
    bool active = j && (j->state == JOB_RUNNING || j->state == JOB_SUSPENDED || j->state == JOB_COMPLETING);
    if (!active) {
        if (r)
            sync_drop_active(q, r);
        return NULL;
    }
    r = sync_active_runs_of(q, j);
    r->noted = false;
    r->who = demand_who(j, model_job_part(q->view->model, j));
    vec_for_each (&r->v, i)
        r->v.v[i]->seen = false;
    int64_t end = active_end_of(q, j);
    list_unlink(&r->in_leaving);
    r->for_job = 0;
    if (j->state == JOB_COMPLETING && wall_is_set(job_rare(j)->t_kill))
        active_mark_leaving(q, r, j->kill_cause == KILL_PREEMPT ? job_rare(j)->preempted_by : 0,
                            job_rare(j)->t_kill.ms + (int64_t)job_rare(j)->kill_grace_s * MS_PER_S +
                                LEAVING_MS);
    if (j->kind == JOB_KIND_STEPS)
        sync_active_sync_tasks(q, r, j, end);
    else if (j->holding)
        sync_active_sync_run(q, r, 0, j->alloc.v, j->alloc.n, end);
    sync_active_sweep_runs(q, r);
    return r;
}

void active_find_awaited(struct queue *q)
{
    idmap_fini(&q->active.awaited);
    q->active.awaited = (struct idmap){0};
    list_for_each (r, &q->active.leaving, struct active_job, in_leaving)
        if (r->for_job)
            idmap_set(&q->active.awaited, r->for_job, r);
}

bool active_is_awaited(const struct queue *q, uint32_t job)
{
    if (!idmap_get(&q->active.awaited, job))
        return false;
    list_for_each (r, &q->active.leaving, struct active_job, in_leaving)
        if (r->for_job == job && r->leaves_until > q->now.ms)
            return true;
    return false;
}

void active_mark_leaving(struct queue *q, struct active_job *r, uint32_t for_job, int64_t until)
{
    list_move_to_end(&q->active.leaving, &r->in_leaving);
    r->for_job = for_job;
    r->leaves_until = until;
    if (for_job)
        idmap_set(&q->active.awaited, for_job, r);
}
