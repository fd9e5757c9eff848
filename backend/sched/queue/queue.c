/* queue.c - lists, notes, and the result of a cycle. */
#include "backend/sched/queue/queue.h"

#include <stdlib.h>

void queue_init_lists(struct queue *q)
{
    list_init(&q->classes.list);
    list_init(&q->active.list);
    list_init(&q->active.leaving);
    list_init(&q->active.candidates);
    list_init(&q->entries.with_extra_slots);
    list_init(&q->classes.buried);
    list_init(&q->slots.list);
}

void queue_bind_groups(const struct queue *q, const struct job *j, struct demand *d)
{
    if (!d->groups_max)
        return;
    uint32_t most_s = q->view->model->spec.max_switch_wait_s, asked_s = req_rare(&j->req)->switch_wait_s;
    int64_t since = wall_is_set(j->t_eligible) ? j->t_eligible.ms : j->t_submit.ms;
    d->groups_until = since + (int64_t)(asked_s && asked_s < most_s ? asked_s : most_s) * MS_PER_S;
    if (!q->pool.n_groups || d->nodes_max <= d->groups_max)
        d->groups_max = 0;
    d->groups_until = d->groups_max ? d->groups_until : 0;
}

void queue_note_job(struct queue *q, uint32_t job)
{
    if (q->notes.all || (q->notes.jobs.n && q->notes.jobs.v[q->notes.jobs.n - 1] == job))
        return;
    vec_push(&q->notes.jobs, job);
}

const struct pending_entry *queue_entry_before(const struct queue *q, uint32_t job)
{
    const struct pending_entry *u = NULL;
    for (const struct queue *o = q->reading ? q->old : NULL; o && !u; o = o->old)
        u = idmap_get(&o->entries.by_job, job);
    return u;
}

void sched_result_init(struct sched_result *r)
{
    *r = (struct sched_result){0};
}

void sched_result_fini(struct sched_result *r)
{
    vec_for_each (&r->starts, i)
        rec_fini(&ev_start_rec, &r->starts.v[i].start);
    vec_for_each (&r->places, i)
        rec_fini(&ev_place_rec, &r->places.v[i].place);
    vec_for_each (&r->preempts, i)
        cause_clear(&r->preempts.v[i].why);
    vec_fini(&r->starts);
    vec_fini(&r->places);
    vec_fini(&r->preempts);
    vec_fini(&r->changed);
    sched_result_init(r);
}
