/* victim_order.c - which job is preempted first: the one that loses the least work. */
#include <stdlib.h>

#include "backend/sched/preempt/preempt_internal.h"

#define RESTART_S 60 /* of a run are lost with each victim: it starts again, and reads its data again */

double victim_loss(const struct preempt *p, const struct victim *v)
{
    const struct model *m = p->queue->view->model;
    const struct job_rare *rare = job_rare(v->job);
    int64_t ran_ms = p->queue->now.ms - v->job->t_start.ms - (int64_t)rare->suspended_ms;
    bool saves = req_rare(&v->job->req)->signal && v->grace_s && v->fate == FATE_REQUEUE;
    double s = RESTART_S + (ran_ms > 0 && !saves ? (double)ran_ms / MS_PER_S : 0), rate = 0;
    vec_for_each (&v->runs->v, i)
        for (uint32_t k = 0; k < v->runs->v.v[i]->use.n_parts; k++) {
            const struct amount *a = &v->runs->v.v[i]->use.parts[k].amount;
            rate +=
                usage_rate(&m->spec.priority, (uint32_t)a->cpus, (uint64_t)a->mem_mib, (uint32_t)a->gpus);
        }
    return rate * s;
}

static int victim_order_compare(const void *pa, const void *pb)
{
    const struct victim *a = pa, *b = pb;
    if (a->queue_precedence != b->queue_precedence)
        return a->queue_precedence < b->queue_precedence ? -1 : 1;
    if (a->loss < b->loss)
        return -1;
    if (a->loss > b->loss)
        return 1;
    if (a->prio != b->prio)
        return a->prio < b->prio ? -1 : 1;
    if (a->job->t_start.ms != b->job->t_start.ms)
        return a->job->t_start.ms > b->job->t_start.ms ? -1 : 1;
    return a->job->id > b->job->id ? -1 : a->job->id < b->job->id;
}

void victims_order_by_loss(struct victim *v, size_t n)
{
    if (n)
        qsort(v, n, sizeof *v, victim_order_compare);
}
