/* sync.c - from the state to the planner: what was noted since the last pass is read again. What is read of
 * nodes, running and waiting jobs, windows: one file each. */
#include "backend/sched/queue/sync_private.h"

void planner_read_job(struct planner *p, uint32_t id)
{
    const struct job *j = model_get_job(p->view->model, id);
    if (!j || job_state_is_final(j->state))
        return;
    limits_recount(p->limits, p->view->model, id);
    sync_runs(p, id, j);
    sync_licences(p, id, j);
    sync_unit(p, id, planner_job(p, id));
}

static void wake_parked(struct planner *p)
{
    for (struct heap_node *h; (h = heap_peek(&p->wakes)) && h->key <= p->now.ms;) {
        vec_push(&p->dirty, container_of(h, struct unit, by_wake)->job);
        heap_pop(&p->wakes);
    }
}

/* Started in the last pass and over before this one: it was never seen running, and what it was given is
 * free. */
static bool came_and_went(const struct planner *p, uint32_t id, const struct job *j)
{
    bool over = !j || job_state_is_final(j->state) || (j->state == JOB_PENDING && j->restarts);
    return (over && !idmap_get(&p->runs, id)) || (j && j->kind == JOB_KIND_STEPS); /* its tasks may have */
}

bool planner_is_stale(struct planner *p)
{
    bool back = p->now.ms < p->last_now; /* the clock was set back */
    if (p->all_dirty || back)
        return true;
    if ((p->nodes_dirty && !sync_nodes(p)) || (p->holes && p->dirty.n && !sync_holes(p)))
        return true;
    p->nodes_dirty = false;
    return false;
}

/* What events have named since the last pass. */
static void sync_noted(struct planner *p)
{
    const struct model *m = p->view->model;
    bool started = p->started.n > 0;
    planner_drop_started(p);
    wake_parked(p);
    sync_end_windows(p);
    if (p->windows_dirty)
        sync_windows(p);
    p->windows_dirty = false;
    p->pool.now = p->now.ms;
    vec_for_each (&p->dirty, i) {
        uint32_t id = p->dirty.v[i];
        const struct job *j = planner_job(p, id);
        limits_recount(p->limits, m, id);
        if (started && came_and_went(p, id, j))
            p->gained = true;
        sync_runs(p, id, j);
        sync_licences(p, id, j);
        sync_unit(p, id, j);
    }
    vec_clear(&p->dirty);
}

void planner_sync(struct planner *p)
{
    bool again = p->all_dirty || p->view->model->n_nodes != p->pool.n_nodes;
    if (p->reading ? again : planner_is_stale(p)) {
        vec_clear(&p->dirty);
        planner_begin_reading(p);
    }
    if (p->reading)
        planner_read_all(p);
    if (p->nodes_dirty && planner_is_stale(p)) { /* they have changed while it was read */
        vec_clear(&p->dirty);
        planner_begin_reading(p);
        planner_read_all(p);
    }
    sync_noted(p);
    pool_advance(&p->pool, p->now.ms, OVERDUE_MS);
    p->last_now = p->now.ms;
}

void planner_ready(struct planner *p, const struct sched_view *v, struct wall now)
{
    bool stale = p->dirty.n || p->all_dirty || p->nodes_dirty || p->windows_dirty ||
                 v->model->n_nodes != p->pool.n_nodes;
    bool deciding = planner_goes_on(p, v);
    p->view = v;
    if (deciding) /* what it knows stays as it is until the pass is through */
        return;
    p->now = now;
    if (p->in_pieces && (p->reading || p->all_dirty)) {
        while (!planner_has_frame(p) || p->all_dirty) /* the rest has its time */
            planner_prepare(p, v, now, 1);
        return;
    }
    if (stale)
        planner_sync(p);
}

void planner_ready_limits(struct planner *p, const struct sched_view *v, struct wall now)
{
    if (p->open) /* what the pass has started stays charged */
        return;
    limits_begin(p->limits, v->model, now);
    promises_begin(p);
}
