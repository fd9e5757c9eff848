/* forecast_timed.c - jobs that wait for a time that the clock knows (--begin, a while after another job's
 * start, a reservation): planned from then on, behind all jobs that are in the queue now. They delay only
 * one another.
 */
#include <stdlib.h>

#include "backend/sched/forecast/forecast_internal.h"
#include "backend/sched/limits/limits.h"

void forecast_timed_list(const struct forecaster *p, struct forecasts *f)
{
    for (size_t i = 0; i < p->queue->entries.wakes.n; i++)
        vec_push(&f->parked,
                 container_of(p->queue->entries.wakes.v[i], struct pending_entry, by_wake)->job);
    f->later = xcalloc(f->parked.n ? f->parked.n : 1, sizeof *f->later);
}

void forecast_timed_add(struct forecaster *p, struct forecasts *f, uint32_t at)
{
    const struct job *j = model_get_job(p->queue->view->model, f->parked.v[at]);
    struct forecast_timed *l = &f->later[at];
    struct wall opens =
        j && j->state == JOB_PENDING ? eligibility_time(p->queue->view, j, f->t) : (struct wall){0};
    if (!wall_is_set(opens))
        return;
    l->job = j->id;
    heap_insert(&f->by_time, &l->by_time, opens.ms);
}

bool forecast_timed_next(struct forecaster *p, struct forecasts *f, struct forecast_row *ret)
{
    struct heap_node *h = heap_pop(&f->by_time);
    const struct forecast_timed *l = container_of(h, struct forecast_timed, by_time);
    const struct job *j = model_get_job(p->queue->view->model, l->job);
    const struct pending_entry *u = idmap_get(&p->queue->entries.by_job, l->job);
    enum reason why;
    uint32_t tasks;
    if (!j || !u || u->class || j->state != JOB_PENDING) /* its time has come meanwhile, or it has left */
        return false;
    const struct step *s = j->kind == JOB_KIND_STEPS ? pending_step(j, &tasks) : NULL;
    struct job_class *g = job_class_of(p->queue, j, s, &why);
    if (!g)
        return false;
    *ret = (struct forecast_row){.g = g, .tier_at = ALL_TIERS, .at = (uint32_t)f->waiting.n};
    vec_push(&f->waiting, (struct forecast_entry){.job = l->job, .count = u->count, .from = h->key});
    return true;
}

void forecast_timed_done(struct forecaster *p, struct forecasts *f, const struct forecast_row *r)
{
    f->waiting.n = r->at;
    if (!r->g->n_pending)
        job_class_drop(p->queue, r->g);
}

void forecast_timed_clear(struct forecasts *f)
{
    heap_fini(&f->by_time);
    free(f->later);
    vec_fini(&f->parked);
}
