/* syncruns.c - what runs: each allocation lies on the pool until the end that its time limit promises. */
#include <stdlib.h>

#include "backend/sched/queue/sync_private.h"

#define ENDING_MS  1000  /* between KILL and the end */
#define LEAVING_MS 60000 /* after its end was due, somebody else goes instead */

/* What should be over is expected a moment later, again and again: on the same grid as pool_advance, so
 * that it does not matter when somebody looked. */
static int64_t not_before_now(const struct planner *p, int64_t end)
{
    return end > p->now.ms ? end : end + ((p->now.ms - end) / OVERDUE_MS + 1) * OVERDUE_MS;
}

static int64_t end_by_limit(const struct planner *p, const struct job *j)
{
    if (j->time_limit_s == DURATION_UNLIMITED || j->time_limit_s == DURATION_NOT_SET)
        return WHEN_NEVER;
    int64_t len = (int64_t)j->time_limit_s * MS_PER_S;
    return j->state == JOB_SUSPENDED ? p->now.ms + len
                                     : j->t_start.ms + (int64_t)job_rare(j)->suspended_ms + len;
}

static int64_t end_by_kill(const struct job *j)
{
    const struct job_rare *r = job_rare(j);
    return wall_is_set(r->t_kill) ? r->t_kill.ms + (int64_t)r->kill_grace_s * MS_PER_S + ENDING_MS
                                  : j->t_start.ms;
}

int64_t planner_end_of(const struct planner *p, const struct job *j)
{
    int64_t end = end_by_limit(p, j);
    if (j->state == JOB_COMPLETING && end_by_kill(j) < end)
        end = end_by_kill(j);
    return end == WHEN_NEVER ? end : not_before_now(p, end);
}

void planner_count_element(struct planner *p, uint32_t array, intptr_t by)
{
    if (!array)
        return;
    intptr_t n = (intptr_t)idmap_get(&p->array_running, array) + by;
    if (n > 0)
        idmap_set(&p->array_running, array, (void *)n);
    else
        idmap_remove(&p->array_running, array);
}

uint32_t planner_throttle_leaves(const struct planner *p, const struct job *j)
{
    /* One for the array: an element that waits by itself has a copy from when it was split off. */
    bool element = j->array_job && j->array_job != j->id;
    const struct job *record = element ? model_get_job(p->view->model, j->array_job) : j;
    uint32_t throttle = j->array_job ? (record ? record : j)->req.array_throttle : 0;
    if (!throttle)
        return UINT32_MAX;
    uintptr_t running = (uintptr_t)idmap_get(&p->array_running, j->array_job);
    running += promises_of_array(p, j->array_job);
    return throttle > running ? throttle - (uint32_t)running : 0;
}

static struct runs *runs_of(struct planner *p, const struct job *j)
{
    struct runs *r = idmap_get(&p->runs, j->id);
    if (r)
        return r;
    r = xcalloc(1, sizeof *r);
    r->job = j->id;
    r->array_job = j->array_job;
    list_init(&r->in_leaving);
    list_init(&r->in_prey);
    list_append(&p->running, &r->link);
    idmap_set(&p->runs, j->id, r);
    planner_count_element(p, j->array_job, 1);
    return r;
}

static void add_part(const struct planner *p, struct pool_parts *parts, const struct alloc *a)
{
    uint32_t at = planner_find_node(p, a->node);
    if (at == UINT32_MAX)
        return;
    struct amount amount = {cpuset_count(&a->cpus), (int64_t)a->mem_mib, cpuset_count(&a->gpus)};
    vec_push(&parts->v, (struct pool_part){.node = at, .amount = amount});
}

/* Tasks come in the same order each time, and attempts only grow: it is the next one, or a new one. */
static struct run *find_run(struct runs *r, uint32_t attempt)
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

/* One allocation of j lies on the pool until `end`; taken over where it does already. */
static void sync_run(struct planner *p, struct runs *r, uint32_t attempt, const struct alloc *a, size_t n,
                     int64_t end)
{
    struct run *run = find_run(r, attempt);
    if (run) {
        run->seen = true;
        if (run->use.end == end || !run->use.parts)
            return;
        if (end < run->use.end) {
            backfill_gain_all(&p->backfill, &run->use);
            p->gained = true;
        }
        p->lost = p->lost || end > run->use.end;
        pool_change_end(&p->pool, &run->use, end);
        return;
    }
    struct pool_parts parts = {VEC_INIT};
    for (size_t i = 0; i < n; i++)
        add_part(p, &parts, &a[i]);
    run = xcalloc(1, sizeof *run);
    *run = (struct run){.attempt = attempt, .seen = true};
    if (parts.v.n)
        pool_run(&p->pool, &run->use, &parts, end);
    vec_push(&r->v, run);
    r->attempt_max = attempt > r->attempt_max ? attempt : r->attempt_max;
    vec_fini(&parts.v);
}

static void sync_tasks(struct planner *p, struct runs *r, const struct job *j, int64_t end)
{
    for (size_t i = 0; i < j->steps.n; i++)
        for (size_t k = 0; k < j->steps.v[i].tasks.n && !j->steps.v[i].done; k++) {
            const struct task *t = &j->steps.v[i].tasks.v[k];
            if (t->state == TASK_LAUNCHING || t->state == TASK_RUNNING)
                sync_run(p, r, t->attempt, &t->alloc, 1, end);
        }
}

static void sweep_runs(struct planner *p, struct runs *r)
{
    size_t kept = 0;
    vec_for_each (&r->v, i) {
        struct run *run = r->v.v[i];
        if (run->seen) {
            r->v.v[kept++] = run;
            continue;
        }
        backfill_gain_all(&p->backfill, &run->use);
        pool_drop(&p->pool, &run->use);
        free(run);
        p->gained = true;
    }
    r->v.n = kept;
}

void sync_drop_runs(struct planner *p, struct runs *r)
{
    prey_before(p, r);
    vec_for_each (&r->v, i)
        r->v.v[i]->seen = false;
    sweep_runs(p, r);
    vec_fini(&r->v);
    planner_count_element(p, r->array_job, -1);
    idmap_remove(&p->runs, r->job);
    list_unlink(&r->link);
    list_unlink(&r->in_leaving);
    list_unlink(&r->in_prey);
    free(r);
    p->gained = true; /* a throttle or a limit may have opened */
}

void sync_licences(struct planner *p, uint32_t id, const struct job *j)
{
    const struct model *m = p->view->model;
    const char *now = j && licence_holds(j) ? j->req.licenses : NULL;
    char *had = m->spec.licenses.n ? idmap_get(&p->licensed, id) : NULL;
    if (!m->spec.licenses.n || (had ? now && str_eq(now, had) : !now))
        return;
    if (had)
        licence_book(&p->licences_held, m, had, true);
    free(idmap_remove(&p->licensed, id));
    if (now) {
        licence_book(&p->licences_held, m, now, false);
        idmap_set(&p->licensed, id, xstrdup(now));
    }
}

void sync_runs(struct planner *p, uint32_t id, const struct job *j)
{
    struct runs *r = idmap_get(&p->runs, id);
    bool active = j && (j->state == JOB_RUNNING || j->state == JOB_SUSPENDED || j->state == JOB_COMPLETING);
    if (!active) {
        if (r)
            sync_drop_runs(p, r);
        return;
    }
    bool is_new = !r;
    r = runs_of(p, j);
    r->noted = false;
    prey_before(p, r);
    vec_for_each (&r->v, i)
        r->v.v[i]->seen = false;
    int64_t end = planner_end_of(p, j);
    list_unlink(&r->in_leaving);
    r->for_job = 0;
    if (j->state == JOB_COMPLETING && wall_is_set(job_rare(j)->t_kill))
        planner_see_off(p, r, j->kill_cause == KILL_PREEMPT ? job_rare(j)->preempted_by : 0,
                        job_rare(j)->t_kill.ms + (int64_t)job_rare(j)->kill_grace_s * MS_PER_S +
                            LEAVING_MS);
    if (j->kind == JOB_KIND_STEPS)
        sync_tasks(p, r, j, end);
    else if (j->holding)
        sync_run(p, r, 0, j->alloc.v, j->alloc.n, end);
    sweep_runs(p, r);
    prey_look_at(p, r, j, is_new);
    prey_after(p, r);
}
