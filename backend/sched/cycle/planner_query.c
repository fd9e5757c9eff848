/* planner_query.c - the planner between cycles: queries and accessors. */
#include "backend/sched/cycle/cycle_internal.h"

void planner_ready(struct planner *p, const struct sched_view *v, struct wall now)
{
    bool stale = p->queue.notes.jobs.n || p->queue.notes.all || p->queue.notes.nodes ||
                 p->queue.notes.windows || v->model->n_nodes != p->queue.pool.n_nodes;
    bool deciding = cycle_goes_on(p, v);
    p->queue.view = v;
    if (deciding) /* the queue does not change before the cycle ends */
        return;
    p->queue.now = now;
    if (p->rebuild.in_pieces && (p->queue.reading || p->queue.notes.all)) {
        while (!planner_has_frame(p) || p->queue.notes.all) /* the rest has its time */
            planner_prepare(p, v, now, 1);
        return;
    }
    if (stale)
        planner_sync(p);
}

#define READ_AT_ONCE 1500 /* jobs and nodes: some milliseconds */

bool planner_ready_for(struct planner *p, const struct sched_view *v, const struct job *j, struct wall now)
{
    size_t n = v->model->n_pending + v->model->n_active + v->model->n_nodes;
    bool again = planner_needs_users(p, j);
    planner_ready(p, v, now);
    if (again && p->queue.reading && n <= READ_AT_ONCE)
        planner_sync(p);
    return !p->queue.reading && (p->queue.pool.by_user || !req_detail(&j->req)->exclusive_user);
}

void planner_ready_limits(struct planner *p, const struct sched_view *v, struct wall now)
{
    if (p->cycle) /* starts of the cycle stay charged */
        return;
    limits_begin(p->queue.limits, v->model, now);
    preemptor_charges_begin(&p->preempt);
}

struct queue *planner_queue(struct planner *p)
{
    return &p->queue;
}

struct preempt *planner_preempt(struct planner *p)
{
    return &p->preempt;
}

struct forecaster *planner_forecaster(struct planner *p)
{
    return &p->forecast;
}

uint32_t planner_array_left(const struct planner *p, const struct job *j)
{
    return preempt_throttle_left(&p->preempt, j);
}

uint32_t planner_array_running(const struct planner *p, uint32_t array)
{
    return (uint32_t)(uintptr_t)idmap_get(&p->queue.active.array_running, array) +
           preemptor_charges_of_array(&p->preempt, array);
}

/* By arrival; a changed job counts as having just come, as sync_pending() has it: unless it was in no
 * class. */
static void planner_copy_arrivals(struct planner *p, const struct planner *from, uint32_t but_job)
{
    p->queue.slots.arrivals = from->queue.slots.arrivals + 1;
    idmap_for_each (&p->queue.entries.by_job, slot) {
        struct pending_entry *u = slot->value;
        const struct pending_entry *w = idmap_get(&from->queue.entries.by_job, u->job);
        u->came = w && (u->job != but_job || !w->class) ? w->came : p->queue.slots.arrivals;
    }
}

void planner_copy_slots(struct planner *p, const struct planner *from, uint32_t but_job)
{
    planner_copy_arrivals(p, from, but_job);
    list_for_each (h, &from->queue.slots.list, struct plan_slot, link) {
        const struct pending_entry *w = container_of(h, struct pending_entry, slot);
        struct pending_entry *u = idmap_get(&p->queue.entries.by_job, w->job);
        if (u && u->class && u->job != but_job) {
            plan_slots_copy(&p->queue.slots, &u->slot, h, u->class->own);
            extra_slots_copy(&p->preempt, u, w);
        }
    }
}

uint32_t planner_first_blocked(const struct planner *p, uint32_t part)
{
    return p->first_blocked ? p->first_blocked[part] : 0;
}

bool queue_order_step(struct planner *p, const struct sched_view *v, struct wall now, uint32_t n)
{
    if (!p->order_making || !p->queue.prios.known) /* the first cycle comes first */
        return true;
    planner_ready(p, v, now);
    priorities_begin_query(&p->queue, v, now);
    bool done = queue_order_make_some(p, n);
    priorities_end_query(&p->queue);
    return done;
}
