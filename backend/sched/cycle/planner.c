/* planner.c - a planner's life, and its notes. */
#include "backend/sched/cycle/cycle_internal.h"

#include <stdlib.h>

struct planner *planner_new(void)
{
    struct planner *p = xcalloc(1, sizeof *p);
    queue_init_lists(&p->queue);
    preempt_init(&p->preempt, &p->queue);
    forecaster_init(&p->forecast, &p->queue);
    p->queue.notes.all = true;
    return p;
}

/* What the cycle keeps beside the queue. */
void planner_forget_cycle(struct planner *p)
{
    queue_order_free(p);
    cycle_row_reset(p);
    vec_clear(&p->tried);
    vec_clear(&p->licensed.jobs);
    p->licensed.known = (struct limit_judgement){0};
    free(p->taken);
    free(p->first_blocked);
    p->taken = NULL;
    p->first_blocked = NULL;
    p->pace.reports_left = false;
    p->pace.abandoned = 0;
}

static void planner_fini(struct planner *p)
{
    forecaster_fini(&p->forecast);
    preempt_fini(&p->preempt);
    planner_forget_cycle(p);
    cycle_row_fini(p);
    queue_fini(&p->queue);
    vec_fini(&p->tried);
    vec_fini(&p->licensed.jobs);
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

void planner_note_end(struct planner *p, const struct job *j)
{
    if (p->queue.slots.opts.predicts)
        run_times_learn_job(p->forecast.runs, j);
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
