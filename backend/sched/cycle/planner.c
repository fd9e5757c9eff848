/* planner.c - a planner's life, its notes, and what it answers between passes. */
#include "backend/sched/cycle/cycle_internal.h"

#include <stdlib.h>

#include "backend/sched/cycle/cycle_internal.h"

struct planner *planner_new(void)
{
    struct planner *p = xcalloc(1, sizeof *p);
    queue_init_lists(&p->queue);
    preempt_init(&p->preempt, &p->queue);
    p->forecast.queue = &p->queue;
    p->queue.notes.all = true;
    return p;
}

/* What the cycle keeps beside the queue. */
void planner_forget_cycle(struct planner *p)
{
    queue_order_free(p);
    vec_clear(&p->tried);
    free(p->taken);
    free(p->first_blocked);
    p->taken = NULL;
    p->first_blocked = NULL;
    p->reports_left = false;
    p->abandoned = 0;
}

static void planner_fini(struct planner *p)
{
    forecast_forget(&p->forecast);
    preempt_fini(&p->preempt);
    planner_forget_cycle(p);
    queue_fini(&p->queue);
    vec_fini(&p->tried);
    vec_fini(&p->rebuild.ids);
}

void planner_free(struct planner *p)
{
    if (!p)
        return;
    for (bool done = false; !done;) {
        uint64_t n = UINT64_MAX;
        done = queue_free_old(&p->queue, &n);
    }
    cycle_free(p->cycle);
    p->cycle = NULL;
    planner_fini(p);
    free(p);
}

void planner_note_job(struct planner *p, uint32_t job)
{
    struct pending_entry *u = p->cycle ? idmap_get(&p->queue.entries.by_job, job) : NULL;
    struct active_job *r = p->cycle ? idmap_get(&p->queue.active.by_job, job) : NULL;
    if (u)
        u->noted = true;
    if (r)
        r->noted = true;
    queue_note_job(&p->queue, job);
}

void planner_note_nodes(struct planner *p)
{
    p->queue.notes.nodes = true;
}

void planner_note_windows(struct planner *p)
{
    p->queue.notes.windows = true;
}

void planner_note_all(struct planner *p)
{
    p->queue.notes.all = true;
    vec_clear(&p->queue.notes.jobs);
}

void sched_cycle_once(const struct sched_view *v, struct wall now, struct sched_result *ret)
{
    struct planner *p = planner_new();
    planner_cycle(p, v, now, ret);
    planner_free(p);
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

void planner_copy_slots(struct planner *p, const struct planner *from, uint32_t but_job)
{
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
