/* planner_sync.c - reads again what was noted since the last cycle. */
#include "backend/sched/cycle/cycle_internal.h"

/* The first job that keeps its nodes for its user: the queue is read again, with users. */
bool planner_needs_users(struct planner *p, const struct job *j)
{
    if (p->queue.by_user || !j || !req_detail(&j->req)->exclusive_user)
        return false;
    p->queue.by_user = true;
    planner_note_all(p);
    return true;
}

void planner_learn_users(struct planner *p)
{
    for (size_t i = 0; !p->queue.by_user && i < p->queue.notes.jobs.n; i++)
        planner_needs_users(p, queue_job(&p->queue, p->queue.notes.jobs.v[i]));
}

void planner_read_job(struct planner *p, uint32_t id)
{
    const struct job *j = model_get_job(p->queue.view->model, id);
    if (!j || job_state_is_final(j->state) || planner_needs_users(p, queue_job(&p->queue, id)))
        return;
    limits_recount(p->queue.limits, p->queue.view->model, id);
    preempt_sync_job(&p->preempt, id, j);
    sync_licences(&p->queue, id, j);
    sync_pending(&p->queue, id, queue_job(&p->queue, id));
}

static void planner_wake_parked(struct planner *p)
{
    for (struct heap_node *h; (h = heap_peek(&p->queue.entries.wakes)) && h->key <= p->queue.now.ms;) {
        vec_push(&p->queue.notes.jobs, container_of(h, struct pending_entry, by_wake)->job);
        heap_pop(&p->queue.entries.wakes);
    }
}

/* Jobs whose minimum run is over are candidates from now on. */
static void planner_end_exemptions(struct planner *p)
{
    struct heap *exempt = &p->queue.active.exempt;
    for (struct heap_node *h; (h = heap_peek(exempt)) && h->key <= p->queue.now.ms;) {
        vec_push(&p->queue.notes.jobs, container_of(h, struct active_job, by_exemption)->job);
        heap_pop(exempt);
        p->queue.changes.freed = true;
    }
}

/* A start of the last cycle that ended before this one: it was never seen running, and its resources are
 * free. */
static bool planner_came_and_went(const struct planner *p, uint32_t id, const struct job *j)
{
    bool over = !j || job_state_is_final(j->state) || (j->state == JOB_PENDING && j->restarts);
    return (over && !idmap_get(&p->queue.active.by_job, id)) ||
           (j && j->kind == JOB_KIND_STEPS); /* its tasks may have */
}

bool planner_is_stale(struct planner *p)
{
    bool back = p->queue.now.ms < p->queue.last_now; /* the clock was set back */
    planner_learn_users(p);
    if (p->queue.notes.all || back)
        return true;
    if ((p->queue.notes.nodes && !sync_nodes(&p->queue)) ||
        (p->queue.nodes.holes && p->queue.notes.jobs.n && !sync_holes(&p->queue)))
        return true;
    p->queue.notes.nodes = false;
    return false;
}

/* What events have named since the last cycle. */
static void planner_sync_noted(struct planner *p)
{
    const struct model *m = p->queue.view->model;
    bool started = p->queue.active.started.n > 0;
    queue_drop_started(&p->queue);
    planner_wake_parked(p);
    planner_end_exemptions(p);
    sync_end_windows(&p->queue);
    if (p->queue.notes.windows)
        planner_sync_windows(p);
    p->queue.notes.windows = false;
    p->queue.pool.now = p->queue.now.ms;
    vec_for_each (&p->queue.notes.jobs, i) {
        uint32_t id = p->queue.notes.jobs.v[i];
        const struct job *j = queue_job(&p->queue, id);
        limits_recount(p->queue.limits, m, id);
        if (started && planner_came_and_went(p, id, j))
            p->queue.changes.freed = true;
        preempt_sync_job(&p->preempt, id, j);
        sync_licences(&p->queue, id, j);
        sync_pending(&p->queue, id, j);
    }
    vec_clear(&p->queue.notes.jobs);
}

void planner_sync(struct planner *p)
{
    bool again = p->queue.notes.all || p->queue.view->model->n_nodes != p->queue.pool.n_nodes;
    if (p->queue.reading ? again : planner_is_stale(p)) {
        vec_clear(&p->queue.notes.jobs);
        planner_begin_reading(p);
    }
    if (p->queue.reading)
        planner_read_all(p);
    planner_learn_users(p);
    if ((p->queue.notes.nodes || p->queue.notes.all) && planner_is_stale(p)) { /* while it was read */
        vec_clear(&p->queue.notes.jobs);
        planner_begin_reading(p);
        planner_read_all(p);
    }
    planner_sync_noted(p);
    pool_advance(&p->queue.pool, p->queue.now.ms, OVERDUE_MS);
    p->queue.last_now = p->queue.now.ms;
}

void planner_sync_windows(struct planner *p)
{
    if (sync_windows(&p->queue))
        forecast_forget(&p->forecast); /* it may refer to classes in a reservation that has gone */
}
