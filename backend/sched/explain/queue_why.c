/* queue_why.c - the jobs ahead of a pending job in a partition's queue, and what they ask for.
 *
 * Only jobs that wait for their turn or for resources have a place in the queue (planner_is_in_line). A job
 * that something else keeps back delays no other job.
 */
#include <stdlib.h>

#include "backend/sched/explain/why_internal.h"
#include "src/base/xalloc.h"

struct why_queue_row { /* of the queue in a partition */
    uint32_t before, of;
    uint64_t gpus; /* that those before ask for */
};

/* One that has come in since stands where it would. */
static struct why_queue_row row_of(const struct question *q, const struct partition_queue *l,
                                   const struct queue_key *mine)
{
    uintptr_t known = (uintptr_t)idmap_get(&l->at, q->u->job);
    size_t low = 0, high = l->v.n;
    if (known) {
        const struct queue_place *p = &l->v.v[known - 1];
        return (struct why_queue_row){.before = p->before, .of = l->of, .gpus = p->gpus_before};
    }
    while (low < high) {
        size_t mid = low + (high - low) / 2;
        if (queue_key_before(&l->v.v[mid].key, mine))
            low = mid + 1;
        else
            high = mid;
    }
    const struct queue_place *last = low ? &l->v.v[low - 1] : NULL;
    return (struct why_queue_row){.before = last ? last->before + last->n : 0,
                                  .of = l->of,
                                  .gpus = last ? last->gpus_before + last->gpus : 0};
}

/* The one whose turn it is there, where that one stands ahead; 0: it does not. */
static uint32_t first_ahead(const struct question *q, uint32_t partition, const struct queue_key *mine)
{
    const struct pending_entry *u =
        idmap_get(&q->queue->entries.by_job, planner_first_blocked(q->p, partition));
    if (!u || u == q->u || !planner_is_in_line(q->p, u))
        return 0;
    struct queue_key its = queue_order_key(q->p, u->class, u, partition);
    return queue_key_before(&its, mine) ? u->job : 0;
}

/* While the order of a long queue is not worked out: behind which job. */
static void behind_whom(const struct question *q, uint32_t partition, uint32_t first)
{
    if (!first && planner_reason_of(q->p, q->j) != REASON_PRIORITY)
        return;
    struct cause *c = why_add(q->w, WHY_BEHIND, CAUSE_AHEAD_UNKNOWN);
    c->part = xstrdup(q->v->model->spec.parts.v[partition].name);
    c->id = first ? model_job_name(q->v->model, first) : NULL;
}

void why_behind(const struct question *q, uint32_t partition)
{
    struct queue_key mine = queue_order_key(q->p, q->u->class, q->u, partition);
    const struct partition_queue *l = queue_order_of(q->p, partition);
    if (!l) {
        behind_whom(q, partition, first_ahead(q, partition, &mine));
        return;
    }
    struct why_queue_row row = row_of(q, l, &mine);
    if (!q->w->rank && planner_is_in_line(q->p, q->u)) { /* in the first where it could run */
        q->w->rank = row.before + 1;
        q->w->rank_of = row.of;
    }
    if (!row.before)
        return;
    uint32_t first = first_ahead(q, partition, &mine);
    const struct job *f = first ? model_get_job(q->v->model, first) : NULL;
    bool runs = f && f->state != JOB_PENDING;
    struct cause *c = why_add(q->w, WHY_BEHIND, runs ? CAUSE_AHEAD_TASKS : CAUSE_AHEAD);
    c->n = row.before;
    c->gpus = row.gpus;
    c->part = xstrdup(q->v->model->spec.parts.v[partition].name);
    c->id = first ? model_job_name(q->v->model, first) : NULL;
}
