/* jobevents.c - what has happened to a job. */
#include "src/model/fold/jobevents.h"

#include <string.h>

#include "src/base/xalloc.h"

static struct job_event *jobevents_push(struct job *j, const struct event *ev, uint32_t uid,
                                        const char *user)
{
    struct job_rare *rare = job_rare_mut(j);
    if (rare->events.n >= JOB_EVENTS_MAX) {
        rec_fini(&job_event_rec, &rare->events.v[0]);
        memmove(rare->events.v, rare->events.v + 1, (rare->events.n - 1) * sizeof *rare->events.v);
        rare->events.n--;
    }
    struct job_event *e = rec_list_push(&rare->events);
    *e = (struct job_event){
        .t = ev->t, .kind = ev->kind, .uid = uid, .user = xstrdup(user), .step = STEP_ALL};
    return e;
}

static void note_kill(struct job *j, const struct event *ev, const struct ev_kill *b)
{
    struct job_event *e = jobevents_push(j, ev, b->uid, b->user);
    e->n = b->cause;
    e->step = b->step;
    e->by_job = b->by_job;
    e->text = xstrdup(b->text);
    causes_copy(&e->why, &b->why);
}

void jobevents_note(struct job *j, const struct event *ev)
{
    const struct ev_signal *sig = ev->body;
    const struct ev_hold *hold = ev->body;
    const struct ev_requeue *back = ev->body;
    const struct ev_update *update = ev->body;
    const struct ev_suspend *pause = ev->body;
    const struct ev_preempt *preempt = ev->body;
    if (ev->kind == EV_KILL) {
        note_kill(j, ev, ev->body);
    } else if (ev->kind == EV_SIGNAL) {
        struct job_event *e = jobevents_push(j, ev, sig->uid, sig->user);
        e->n = (uint32_t)sig->signal;
        e->step = sig->step;
    } else if (ev->kind == EV_HOLD) {
        jobevents_push(j, ev, hold->uid, hold->user)->n = hold->hold;
    } else if (ev->kind == EV_REQUEUE) {
        jobevents_push(j, ev, back->uid, back->user);
    } else if (ev->kind == EV_UPDATE) {
        jobevents_push(j, ev, update->uid, update->user);
    } else if (ev->kind == EV_SUSPEND) {
        jobevents_push(j, ev, pause->uid, pause->user)->n = pause->on;
    } else if (ev->kind == EV_PREEMPT) {
        struct job_event *e = jobevents_push(j, ev, 0, NULL);
        e->text = xstrdup(preempt->text);
        causes_copy(&e->why, &preempt->why);
    }
}

bool job_waits_preempted(const struct job *j)
{
    const struct job_rare *rare = job_rare(j);
    return j->state == JOB_PENDING && rare->runs.n &&
           rare->runs.v[rare->runs.n - 1].kill_cause == KILL_PREEMPT;
}

/* A hold is asked for by itself, with the submission, or with the requeue that ended the last run. */
struct wall job_held_since(const struct job *j, uint32_t *ret_uid, const char **ret_user)
{
    const struct job_rare *rare = job_rare(j);
    const struct past_run *last = rare->runs.n ? &rare->runs.v[rare->runs.n - 1] : NULL;
    *ret_uid = j->uid;
    *ret_user = NULL;
    for (size_t i = rare->events.n; i-- > 0;) {
        const struct job_event *e = &rare->events.v[i];
        if (e->kind == EV_HOLD && e->n == HOLD_NONE)
            break;
        if (e->kind == EV_HOLD || e->kind == EV_REQUEUE ||
            (e->kind == EV_KILL && e->step == STEP_ALL && e->n == KILL_REQUEUE)) {
            *ret_uid = e->uid;
            *ret_user = e->user;
            return e->kind == EV_KILL && last ? last->t_back : e->t;
        }
    }
    return last ? last->t_back : j->t_submit;
}
