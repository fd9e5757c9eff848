/* apply_job.c - the folds that concern a job as a whole. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "src/base/xalloc.h"
#include "src/model/fold/apply_taking.h"
#include "src/model/jobeffective.h"
#include "src/model/model_private.h"
#include "src/model/task_parts.h"
#include "src/values/units.h"

/* Declared steps are numbered from 0 and have not begun. */
static bool steps_are_fresh(const struct job *j)
{
    for (size_t i = 0; i < j->steps.n; i++) {
        const struct step *s = &j->steps.v[i];
        if (s->id != (int32_t)i || s->tasks.n || !s->n_tasks || s->done || s->killing)
            return false;
    }
    return true;
}

static bool array_is_sound(const struct job *j)
{
    if (!j->array_job)
        return !job_rare(j)->array_pending.n;
    for (size_t i = 0; i < job_rare(j)->array_pending.n; i++) {
        const struct index_range *r = &job_rare(j)->array_pending.v[i];
        if (!r->step || r->last < r->first || r->last == ARRAY_NONE || (r->last - r->first) % r->step)
            return false;
    }
    return j->array_job == j->id && job_rare(j)->array_pending.n && j->kind != JOB_KIND_STEPS;
}

/* A job that comes in has done nothing yet. */
static bool is_fresh(const struct job *j)
{
    return j->kind <= JOB_KIND_INTERACTIVE && j->hold <= HOLD_ADMIN && j->reason < REASON_N &&
           (j->kind == JOB_KIND_STEPS) == (j->steps.n > 0) && j->array_index == ARRAY_NONE && !j->alloc.n &&
           !job_rare(j)->runs.n && !j->holding && !j->launches && !wall_is_set(j->t_start) &&
           j->kill_cause == KILL_NONE && j->fate == FATE_END;
}

static int check_submission(const struct model *m, const struct event *ev, const struct job *body)
{
    if (!body->id || body->id == UINT32_MAX || body->id != ev->job || body->state != JOB_PENDING)
        return -EINVAL;
    if (!is_fresh(body) || !steps_are_fresh(body) || !array_is_sound(body))
        return -EINVAL;
    return model_get_job(m, body->id) ? -EEXIST : 0;
}

static void link_submission(struct model *m, struct job *j)
{
    list_init(&j->in_all);
    list_init(&j->in_queue);
    if (j->kind == JOB_KIND_STEPS)
        job_begin_next_step(j);
    model_link_job(m, j);
}

int apply_submit(struct model *m, const struct event *ev, const struct job *body)
{
    int r = check_submission(m, ev, body);
    if (r < 0)
        return r;
    struct job *j = xcalloc(1, sizeof *j);
    rec_copy(&job_rec, j, body);
    link_submission(m, j);
    return 0;
}

int apply_submit_taking(struct model *m, const struct event *ev, struct job *body)
{
    int r = check_submission(m, ev, body);
    if (r < 0)
        return r;
    link_submission(m, xmemdup(body, sizeof *body));
    *body = (struct job){0};
    return 0;
}

/* --- arrays --- */

/* Position of the range that holds index; -1 where none does. */
static int find_range(const struct job *j, uint32_t index)
{
    for (size_t i = 0; i < job_rare(j)->array_pending.n; i++) {
        const struct index_range *r = &job_rare(j)->array_pending.v[i];
        if (index >= r->first && index <= r->last && (index - r->first) % r->step == 0)
            return (int)i;
    }
    return -1;
}

/* Takes index out of range `at`, which splits in two where it lies inside. */
static void take_index(struct job *j, int at, uint32_t index)
{
    struct job_rare *rare = job_rare_mut(j);
    struct index_range *r = &rare->array_pending.v[at];
    struct index_range before = *r, after = *r;
    before.last = index - r->step;
    after.first = index + r->step;
    bool has_before = index > r->first, has_after = index < r->last;
    if (has_before && has_after) {
        rec_list_push(&rare->array_pending);
        r = &rare->array_pending.v[at];
        for (size_t i = rare->array_pending.n - 1; i > (size_t)at + 1; i--)
            rare->array_pending.v[i] = rare->array_pending.v[i - 1];
        r[0] = before;
        r[1] = after;
    } else if (has_before || has_after) {
        *r = has_before ? before : after;
    } else {
        for (size_t i = (size_t)at; i + 1 < rare->array_pending.n; i++)
            rare->array_pending.v[i] = rare->array_pending.v[i + 1];
        rare->array_pending.n--;
    }
}

static bool can_split(const struct model *m, const struct job *j, uint32_t index, uint32_t new_id)
{
    if (!job_is_array_record(j) || find_range(j, index) < 0 || new_id == UINT32_MAX)
        return false;
    bool is_last = job_pending_elements(j) == 1;
    return is_last == (new_id == 0) && (!new_id || !model_get_job(m, new_id));
}

/* Makes the element of an array record, which can be split, a job of its own: a new one with id new_id, or,
 * for the last element, the record itself (the last one keeps the array's id, as in Slurm). */
static struct job *split_element(struct model *m, struct job *j, uint32_t index, uint32_t new_id)
{
    int at = find_range(j, index);
    if (!new_id) {
        model_unlink_job(m, j);
        rec_list_free(&index_range_rec, &job_rare_mut(j)->array_pending);
        j->array_index = index;
        model_link_job(m, j);
        return j;
    }
    /* An element does not carry the ranges: they may be many. Nor has it a box for nothing. */
    struct job_rare rare = *job_rare(j);
    rare.array_pending.v = NULL;
    rare.array_pending.n = 0;
    rare.array_failed.v = NULL;
    rare.array_failed.n = 0;
    rare.array_gone.v = NULL;
    rare.array_gone.n = 0;
    struct job like = *j;
    like.rare = memcmp(&rare, &job_nothing_rare, sizeof rare) != 0 ? &rare : NULL;
    struct job *e = xcalloc(1, sizeof *e);
    rec_copy(&job_rec, e, &like);
    take_index(j, at, index);
    list_init(&e->in_all);
    list_init(&e->in_queue);
    free(e->request_id);
    e->request_id = NULL;
    e->id = new_id;
    e->array_index = index;
    model_link_job(m, e);
    return e;
}

int apply_split(struct model *m, struct job *j, const struct event *ev, const struct ev_split *body)
{
    (void)ev;
    if (j->state != JOB_PENDING || !can_split(m, j, body->array_index, body->new_id))
        return -EINVAL;
    split_element(m, j, body->array_index, body->new_id);
    return 0;
}

/* --- start --- */

static void add_batch_step(const struct model *m, struct job *j)
{
    struct step *s = rec_list_push(&j->steps);
    s->id = STEP_BATCH;
    s->name = xstrdup("batch");
    s->n_tasks = s->n_ranks = s->nodes = 1;
    s->time_limit_s = DURATION_NOT_SET;
    s->t_start = j->t_start;
    struct task *t = rec_list_push(&s->tasks);
    t->state = TASK_LAUNCHING;
    t->n_ranks = 1;
    t->attempt = ++j->launches;
    t->lease_s = job_lease_s(m, j);
    rec_copy(&alloc_rec, &t->alloc, &j->alloc.v[0]);
}

int apply_start(struct model *m, struct job *j, const struct event *ev, const struct ev_start *body)
{
    if (j->state != JOB_PENDING || j->kind == JOB_KIND_STEPS || !body->alloc.n)
        return -EINVAL;
    bool element = job_is_array_record(j);
    if (element && !can_split(m, j, body->array_index, body->new_id))
        return -EINVAL;
    int r = charge_all(m, body->alloc.v, body->alloc.n, req_detail(&j->req)->exclusive);
    if (r < 0)
        return r;
    if (element)
        j = split_element(m, j, body->array_index, body->new_id);
    model_dequeue(m, j);
    struct ev_start copy;
    rec_copy(&ev_start_rec, &copy, body);
    free(j->alloc.v);
    j->alloc.v = copy.alloc.v;
    j->alloc.n = copy.alloc.n;
    free(j->partition);
    j->partition = copy.partition;
    j->holding = true;
    j->state = JOB_RUNNING;
    j->reason = REASON_NONE;
    j->t_start = ev->t;
    j->time_limit_s = body->time_limit_s;
    j->borrowed = body->borrowed;
    if (j->kind == JOB_KIND_BATCH)
        add_batch_step(m, j);
    model_enqueue(m, j);
    return 0;
}

/* --- hold, requeue, update, eligible --- */

static struct wall not_before(struct wall begin, struct wall t)
{
    return begin.ms > t.ms ? begin : t;
}

int apply_hold(struct model *m, struct job *j, const struct event *ev, const struct ev_hold *body)
{
    (void)m;
    if (j->state != JOB_PENDING || body->hold > HOLD_ADMIN)
        return -EINVAL;
    bool released = j->hold != HOLD_NONE && body->hold == HOLD_NONE;
    j->hold = (uint8_t)body->hold;
    j->reason = body->hold == HOLD_USER    ? REASON_HELD_USER
                : body->hold == HOLD_ADMIN ? REASON_HELD_ADMIN
                                           : REASON_NONE;
    if (released && job_rare(j)->losses)
        job_rare_mut(j)->losses = 0;
    if (released && wall_is_set(j->t_eligible)) /* a dependency that is open still counts */
        j->t_eligible = not_before(req_detail(&j->req)->begin, ev->t);
    return 0;
}

int apply_requeue(struct model *m, struct job *j, const struct event *ev, const struct ev_requeue *body)
{
    if (!job_state_is_final(j->state) || j->kind == JOB_KIND_INTERACTIVE || !wall_is_set(j->t_start))
        return -EINVAL;
    if (job_rare(j)->losses)
        job_rare_mut(j)->losses = 0;
    job_put_back(m, j, ev->t, body->hold ? REASON_HELD_USER : REASON_NONE);
    return 0;
}

/* An array has one throttle: whichever of its jobs is given another one, all that wait have it then. */
static void set_throttle(struct model *m, const struct job *j)
{
    struct job *record = model_get_job(m, j->array_job);
    if (record)
        record->req.array_throttle = j->req.array_throttle;
    list_for_each (e, &m->pending, struct job, in_queue)
        if (e->array_job == j->array_job)
            e->req.array_throttle = j->req.array_throttle;
}

int apply_update(struct model *m, struct job *j, const struct event *ev, const struct ev_update *body)
{
    uint32_t throttle = j->req.array_throttle;
    if (job_state_is_final(j->state))
        return -EINVAL;
    bool other_deps = !str_eq(j->req.dependency, body->req.dependency);
    bool other_begin = req_detail(&j->req)->begin.ms != req_detail(&body->req)->begin.ms;
    rec_fini(&job_req_rec, &j->req);
    rec_copy(&job_req_rec, &j->req, &body->req);
    if (j->array_job && j->req.array_throttle != throttle)
        set_throttle(m, j);
    if (j->state == JOB_PENDING) {
        job_reset_partition(j);
        j->dep_met = j->dep_met && !other_deps;
        if (other_deps && !str_is_empty(j->req.dependency))
            j->t_eligible = (struct wall){0};
        else if (other_deps || (other_begin && wall_is_set(j->t_eligible)))
            j->t_eligible = not_before(req_detail(&j->req)->begin, ev->t);
    } else if (body->time_limit_s != DURATION_NOT_SET) {
        j->time_limit_s = body->time_limit_s;
    }
    return 0;
}

int apply_eligible(struct model *m, struct job *j, const struct event *ev, const struct ev_eligible *body)
{
    (void)m;
    if (j->state != JOB_PENDING)
        return -EINVAL;
    j->dep_met = j->dep_met || body->dep_met;
    j->t_eligible = not_before(req_detail(&j->req)->begin, ev->t);
    return 0;
}

/* A step job holds nothing between its tasks, and what it holds is theirs: it is held or cancelled. */
int apply_suspend(struct model *m, struct job *j, const struct event *ev, const struct ev_suspend *body)
{
    (void)m;
    if (j->kind == JOB_KIND_STEPS || j->state != (body->on ? JOB_RUNNING : JOB_SUSPENDED))
        return -EINVAL;
    if (!body->on)
        job_end_pause(j, ev->t);
    j->state = body->on ? JOB_SUSPENDED : JOB_RUNNING;
    job_rare_mut(j)->t_suspend = ev->t;
    return 0;
}

/* --- ends --- */

/* One task alone, on all of its nodes. */
static int kill_task(struct step *s, uint32_t index)
{
    const struct task *t = step_find_task(s, index);
    if (!t || task_parts_are_over(s, task_parts_of(s, t)) || t->state == TASK_WAITING)
        return -ENOENT;
    task_end_parts(s, task_parts_of(s, t));
    return 0;
}

/* One step alone: it must have begun. Its job goes on, or ends where the step was one of its declared
 * ones. */
static int kill_step(struct model *m, struct job *j, const struct event *ev, const struct ev_kill *body)
{
    struct step *s = job_find_step(j, body->step);
    if (!s || s->done || s->id == STEP_BATCH || !s->tasks.n)
        return -ENOENT;
    if (body->task)
        return j->kind == JOB_KIND_STEPS ? kill_task(s, body->task - 1) : -EINVAL;
    step_kill(s, body->cause, ev->t);
    if (step_settle(s, ev->t) && j->kind == JOB_KIND_STEPS)
        job_advance_steps(m, j, s, NULL, ev->t);
    return 0;
}

static int64_t kill_at_ms(struct wall t, uint32_t grace_s)
{
    return t.ms + (int64_t)grace_s * MS_PER_S;
}

/* A job that ends already may still be kept from coming back, a preempted one need not wait for the end of
 * its grace time, and any may be ended sooner: a cancel is final. */
static bool may_cancel_completing(const struct model *m, const struct job *j, const struct event *ev,
                                  const struct ev_kill *body)
{
    const struct job_rare *r = job_rare(j);
    if (body->fate != FATE_END)
        return false;
    bool sooner = j->kill_cause != KILL_NONE &&
                  kill_at_ms(ev->t, body->grace_s) < kill_at_ms(r->t_kill, r->kill_grace_s);
    return job_comes_back(m, j) ||
           (body->cause == KILL_CANCEL && (sooner || j->kill_cause == KILL_PREEMPT));
}

/* A later word may hurry, never delay. Which cause the end has is the first word's, unless that was to come
 * back, or to make room for another job. */
static void cancel_completing(const struct model *m, struct job *j, const struct event *ev,
                              const struct ev_kill *body)
{
    struct job_rare *r = job_rare_mut(j);
    int64_t left_ms = kill_at_ms(r->t_kill, r->kill_grace_s) - ev->t.ms;
    uint32_t left_s = left_ms > 0 ? (uint32_t)((left_ms + MS_PER_S - 1) / MS_PER_S) : 0;
    bool had_kill = j->kill_cause != KILL_NONE;
    if (job_comes_back(m, j) || j->kill_cause == KILL_PREEMPT) {
        for (size_t i = 0; i < j->steps.n; i++)
            if (!j->steps.v[i].done && j->steps.v[i].kill_cause == j->kill_cause)
                j->steps.v[i].kill_cause = body->cause;
        j->kill_cause = (uint8_t)body->cause;
        r->kill_uid = body->uid;
    }
    j->fate = FATE_END;
    r->kill_grace_s = had_kill && left_s < body->grace_s ? left_s : body->grace_s;
    r->t_kill = ev->t;
}

int apply_kill(struct model *m, struct job *j, const struct event *ev, const struct ev_kill *body)
{
    if (body->cause == KILL_NONE || body->cause >= KILL_N_CAUSES || body->fate > FATE_REQUEUE_HOLD ||
        job_state_is_final(j->state))
        return -EINVAL;
    if (body->fate != FATE_END && (j->state == JOB_PENDING || j->kind == JOB_KIND_INTERACTIVE))
        return -EINVAL;
    if (body->step != STEP_ALL)
        return j->state == JOB_PENDING ? -EINVAL : kill_step(m, j, ev, body);
    if (j->state == JOB_COMPLETING) {
        if (!may_cancel_completing(m, j, ev, body))
            return -EALREADY;
        cancel_completing(m, j, ev, body);
        return 0;
    }
    j->kill_cause = (uint8_t)body->cause;
    j->fate = (uint8_t)body->fate;
    struct job_rare *rare = job_rare_mut(j);
    rare->kill_uid = body->uid;
    free(rare->kill_user);
    rare->kill_user = body->user ? xstrdup(body->user) : NULL;
    rare->kill_grace_s = body->grace_s;
    rare->t_kill = ev->t;
    if (body->cause == KILL_PREEMPT) {
        rare->preempted_by = body->by_job;
        free(rare->preempt_text);
        rare->preempt_text = body->text ? xstrdup(body->text) : NULL;
        causes_copy(&rare->preempt_why, &body->why);
    }
    job_begin_end(m, j, body->cause, ev->t);
    return 0;
}

int apply_complete(struct model *m, struct job *j, const struct event *ev, const struct ev_complete *body)
{
    if (j->kind != JOB_KIND_INTERACTIVE || (j->state != JOB_RUNNING && j->state != JOB_SUSPENDED))
        return -EINVAL;
    j->exit_code = body->code;
    j->exit_signal = body->signal;
    job_begin_end(m, j, KILL_JOB_ENDED, ev->t);
    return 0;
}

/* Dependencies ask for it after the element has gone: only how it ended, and success is the rule. */
static void note_failed(struct job *array, uint32_t index)
{
    struct job_rare *rare = job_rare_mut(array);
    struct index_range *last =
        rare->array_failed.n ? &rare->array_failed.v[rare->array_failed.n - 1] : NULL;
    if (last && last->last + 1 == index) {
        last->last = index;
        return;
    }
    *(struct index_range *)rec_list_push(&rare->array_failed) =
        (struct index_range){.first = index, .last = index, .step = 1};
}

/* What its members are counted by goes with them. */
static void count_gone(struct job *array, uint32_t state)
{
    struct job_rare *rare = job_rare_mut(array);
    for (size_t i = 0; i < rare->array_gone.n; i++)
        if (rare->array_gone.v[i].state == state) {
            rare->array_gone.v[i].n++;
            return;
        }
    *(struct state_count *)rec_list_push(&rare->array_gone) = (struct state_count){.state = state, .n = 1};
}

int apply_retire(struct model *m, struct job *j)
{
    if (!job_state_is_final(j->state))
        return -EINVAL;
    struct job *array = j->array_job && j->array_job != j->id ? model_get_job(m, j->array_job) : NULL;
    if (array && !job_succeeded(j))
        note_failed(array, j->array_index);
    if (array)
        count_gone(array, j->state);
    model_unlink_job(m, j);
    job_free(j);
    return 0;
}
