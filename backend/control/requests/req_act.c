/* req_act.c - cancel, signal, notify, hold, release, requeue, suspend: what is done to jobs that targets
 * name. */
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "backend/control/private.h"
#include "src/base/xalloc.h"

#define TARGETS_MAX 100000u
#define NOTIFY_MAX  4096u /* bytes of a text */

struct outcome {
    enum refusal refusal;
    uint32_t job;
    uint32_t count;
    struct errtext text;
    struct idmap jobs, steps; /* targets that have been looked at: each is once */
    uint32_t element; /* of the array record that is looked at: it becomes a job once something is done
                         to it; ARRAY_NONE: the job itself is meant */
};

static void refuse(struct outcome *o, uint32_t job, enum refusal r, const char *text)
{
    if (o->refusal != REFUSAL_NONE)
        return;
    o->refusal = r;
    o->job = job;
    err_set(&o->text, 0, "%s", text);
}

/* --- one job --- */

static bool emit(struct session *s, struct outcome *o, enum event_kind kind, uint32_t job, void *body)
{
    if (o->element != ARRAY_NONE) {
        struct job *record = model_get_job(&s->ctl->model, job);
        const struct job *e = record ? ctl_split_off(s->ctl, record, o->element) : NULL;
        if (!e) {
            rec_fini(event_body_rec(kind), body);
            return false;
        }
        job = e->id;
    }
    if (ctl_emit(s->ctl, kind, job, body) < 0)
        return false;
    o->count++;
    return true;
}

static void kill_job(struct session *s, const struct job *j, int32_t step, enum kill_cause cause,
                     enum job_fate fate, uint32_t grace_s, struct outcome *o)
{
    if (step != STEP_ALL && j->state == JOB_PENDING) {
        refuse(o, j->id, REFUSAL_NO_STEP, "it is waiting");
        return;
    }
    struct ev_kill body = {.step = step,
                           .cause = cause,
                           .uid = s->uid,
                           .grace_s = grace_s,
                           .fate = fate,
                           .user = ctl_user_of(s->ctl, s->uid)};
    if (!emit(s, o, EV_KILL, j->id, &body))
        refuse(o, j->id, step == STEP_ALL ? REFUSAL_ENDED : REFUSAL_NO_STEP, "it has ended or is ending");
}

static void signal_task(struct control *c, const struct job *j, const struct step *st, const struct task *t,
                        int32_t signo, enum signal_target target)
{
    struct node_link *n = t->alloc.node ? ctl_node(c, t->alloc.node) : NULL;
    struct launch_kill k = {.key = ctl_key(j, st, t), .signal = signo, .target = target};
    if (n)
        nodeconn_send(n->conn, ctl_gate(c), MSG_KILL, 0, &k);
}

static bool is_live(const struct task *t)
{
    return t->state == TASK_RUNNING || t->state == TASK_LAUNCHING;
}

/* As in Slurm. Without -b or -f a signal goes to the steps' tasks; -b: to the batch shell alone; -f: to the
 * steps, the shell and all of its children; both: to the shell and its children. */
static bool is_signalled(const struct step *st, const struct msg_act *m, int32_t step)
{
    if (step != STEP_ALL)
        return st->id == step;
    return st->id == STEP_BATCH ? m->batch || m->full : !m->batch;
}

/* How many live tasks the signal is for. */
static uint32_t count_signalled(const struct job *j, const struct msg_act *m, int32_t step)
{
    uint32_t n = 0;
    for (size_t i = 0; i < j->steps.n; i++)
        for (size_t k = 0; is_signalled(&j->steps.v[i], m, step) && k < j->steps.v[i].tasks.n; k++)
            n += is_live(&j->steps.v[i].tasks.v[k]);
    return n;
}

/* What is stopped stays so: every signal is followed by CONT, which is the administrator's to send. */
static bool takes_signals(const struct job *j, struct outcome *o)
{
    if (j->state == JOB_RUNNING || job_is_in_grace(j))
        return true;
    if (job_state_is_final(j->state))
        refuse(o, j->id, REFUSAL_ENDED, "it has ended");
    else if (j->state == JOB_SUSPENDED)
        refuse(o, j->id, REFUSAL_NOT_RUNNING, "it is suspended: resume or cancel it");
    else if (j->state == JOB_PENDING)
        refuse(o, j->id, REFUSAL_NOT_RUNNING, "it is waiting");
    else
        refuse(o, j->id, REFUSAL_NOT_RUNNING, "it is ending");
    return false;
}

static void signal_job(struct session *s, const struct job *j, int32_t step, const struct msg_act *m,
                       struct outcome *o)
{
    struct control *c = s->ctl;
    if (m->signal == SIGKILL && step == STEP_ALL && !m->batch) { /* ends a job in every state, at once */
        kill_job(s, j, step, KILL_CANCEL, FATE_END, 0, o);
        return;
    }
    if (!takes_signals(j, o))
        return;
    struct msg_act how = {.batch = m->batch, .full = m->full};
    if (!count_signalled(j, &how, step) && m->else_batch)
        how.full = true;
    if (!count_signalled(j, &how, step)) {
        refuse(o, j->id, REFUSAL_NO_STEP, "no step of it runs: its batch script gets signals by -b or -f");
        return;
    }
    uint32_t target = m->batch && !m->full ? SIGNAL_LEADER : SIGNAL_TREE;
    struct ev_signal body = {
        .step = step, .signal = m->signal, .uid = s->uid, .target = target, .user = ctl_user_of(c, s->uid)};
    uint32_t id = j->id;
    emit(s, o, EV_SIGNAL, id, &body);
    for (size_t i = 0; i < j->steps.n; i++)
        for (size_t k = 0; is_signalled(&j->steps.v[i], &how, step) && k < j->steps.v[i].tasks.n; k++) {
            const struct task *t = &j->steps.v[i].tasks.v[k];
            if (is_live(t))
                signal_task(c, j, &j->steps.v[i], t, m->signal, target);
        }
}

/* A text for the standard error of the batch script, or of the steps of a job that has none. */
static void notify_job(struct session *s, const struct job *j, int32_t step, const struct msg_act *m,
                       struct outcome *o)
{
    struct control *c = s->ctl;
    bool script = job_find_step(j, STEP_BATCH) != NULL;
    for (size_t i = 0; i < j->steps.n; i++) {
        const struct step *st = &j->steps.v[i];
        for (size_t k = 0; k < st->tasks.n; k++) {
            const struct task *t = &st->tasks.v[k];
            struct node_link *n = t->alloc.node ? ctl_node(c, t->alloc.node) : NULL;
            bool meant = step != STEP_ALL ? st->id == step : st->id == STEP_BATCH || !script;
            if (!meant || t->state != TASK_RUNNING || !n)
                continue;
            char *note = xasprintf("slurmstepd: error: %s", m->text ? m->text : "");
            struct launch_kill body = {.key = ctl_key(j, st, t), .signal = LAUNCH_NOTE_ONLY, .note = note};
            nodeconn_send(n->conn, ctl_gate(c), MSG_KILL, 0, &body);
            free(note);
            o->count++;
        }
    }
    if (!o->count)
        refuse(o, j->id, job_state_is_final(j->state) ? REFUSAL_ENDED : REFUSAL_NOT_RUNNING,
               "nothing of it runs that could be told");
}

/* An administrator's hold is no other's to change: not to a weaker one either. */
static bool may_change_hold(const struct session *s, const struct job *j, struct outcome *o)
{
    if (j->hold != HOLD_ADMIN || s->admin)
        return true;
    refuse(o, j->id, REFUSAL_NOT_ALLOWED, "held by an administrator, who must release it");
    return false;
}

/* What was submitted held has not been looked at yet. A partition that takes no new jobs keeps those that
 * it has. */
static bool can_ever_run(struct session *s, const struct job *j, struct outcome *o)
{
    struct errtext text = {""};
    struct sched_view v = ctl_view(s->ctl);
    enum refusal r = j->hold == HOLD_NONE ? REFUSAL_NONE
                                          : sched_admit(s->ctl->planner, &v, j->uid, &j->req,
                                                        j->kind == JOB_KIND_STEPS ? j->steps.v : NULL,
                                                        j->kind == JOB_KIND_STEPS ? j->steps.n : 0, &text);
    if (r == REFUSAL_PART_DOWN)
        return true;
    if (r == REFUSAL_NONE && j->hold != HOLD_NONE)
        r = sched_admit_counts(s->ctl->planner, &v, j, (struct sched_admit_how){0}, loop_wall(s->ctl->loop),
                               &text);
    if (r == REFUSAL_NONE)
        return true;
    refuse(o, j->id, r, text.s);
    return false;
}

static void hold_job(struct session *s, const struct job *j, enum job_hold hold, struct outcome *o)
{
    if (j->state != JOB_PENDING) {
        refuse(o, j->id, job_state_is_final(j->state) ? REFUSAL_ENDED : REFUSAL_NOT_PENDING,
               "only a waiting job can be held or released");
        return;
    }
    if (!may_change_hold(s, j, o) || (hold == HOLD_NONE && !can_ever_run(s, j, o)))
        return;
    struct ev_hold body = {.hold = hold, .uid = s->uid, .user = ctl_user_of(s->ctl, s->uid)};
    emit(s, o, EV_HOLD, j->id, &body);
}

static void requeue_job(struct session *s, const struct job *j, bool hold, struct outcome *o)
{
    if (!may_change_hold(s, j, o))
        return;
    if (j->state == JOB_PENDING) {
        if (hold)
            hold_job(s, j, HOLD_USER, o);
        else
            refuse(o, j->id, REFUSAL_NOT_RUNNING, "it is waiting already");
    } else if (j->kind == JOB_KIND_INTERACTIVE) {
        refuse(o, j->id, REFUSAL_NOT_SUPPORTED, "an interactive job cannot be requeued");
    } else if (j->req.requeue == 2) {
        refuse(o, j->id, REFUSAL_NOT_ALLOWED, "it was submitted with --no-requeue");
    } else if (s->ctl->stop_kills) {
        refuse(o, j->id, REFUSAL_SHUTTING_DOWN, "the controller ends all jobs and stops");
    } else if (job_state_is_final(j->state)) {
        struct ev_requeue body = {.hold = hold, .uid = s->uid, .user = ctl_user_of(s->ctl, s->uid)};
        if (!emit(s, o, EV_REQUEUE, j->id, &body))
            refuse(o, j->id, REFUSAL_ENDED, "it never started and cannot be requeued");
    } else {
        kill_job(s, j, STEP_ALL, KILL_REQUEUE, hold ? FATE_REQUEUE_HOLD : FATE_REQUEUE,
                 s->ctl->model.spec.kill_wait_s, o);
    }
}

/* As in Slurm for administrators: what is stopped keeps its resources from everybody else. */
static void suspend_job(struct session *s, const struct job *j, bool on, struct outcome *o)
{
    if (!s->admin)
        refuse(o, j->id, REFUSAL_NOT_ALLOWED, "only administrators suspend jobs");
    else if (job_state_is_final(j->state) || j->state == JOB_COMPLETING)
        refuse(o, j->id, REFUSAL_ENDED, "it has ended or is ending");
    else if (j->state == JOB_PENDING)
        refuse(o, j->id, REFUSAL_PENDING, "it is waiting");
    else if (j->kind == JOB_KIND_STEPS)
        refuse(o, j->id, REFUSAL_NOT_SUPPORTED, "a step job is held or cancelled, not suspended");
    else {
        struct ev_suspend body = {.on = on, .uid = s->uid, .user = ctl_user_of(s->ctl, s->uid)};
        if (!emit(s, o, EV_SUSPEND, j->id, &body))
            refuse(o, j->id, REFUSAL_NOT_RUNNING, on ? "it does not run" : "it is not suspended");
    }
}

static void act_on_job(struct session *s, const struct job *j, int32_t step, const struct msg_act *m,
                       struct outcome *o)
{
    switch ((enum act)m->act) {
    case ACT_CANCEL: kill_job(s, j, step, KILL_CANCEL, FATE_END, s->ctl->model.spec.kill_wait_s, o); break;
    case ACT_SIGNAL: signal_job(s, j, step, m, o); break;
    case ACT_HOLD:
        hold_job(s, j, s->admin && m->admin_hold && s->uid != j->uid ? HOLD_ADMIN : HOLD_USER, o);
        break;
    case ACT_RELEASE: hold_job(s, j, HOLD_NONE, o); break;
    case ACT_REQUEUE: requeue_job(s, j, false, o); break;
    case ACT_REQUEUE_HOLD: requeue_job(s, j, true, o); break;
    case ACT_SUSPEND: suspend_job(s, j, true, o); break;
    case ACT_RESUME: suspend_job(s, j, false, o); break;
    case ACT_NOTIFY: notify_job(s, j, step, m, o); break;
    }
}

/* --- targets --- */

struct job *ctl_split_off(struct control *c, struct job *record, uint32_t index)
{
    uint32_t new_id = job_pending_elements(record) > 1 ? c->model.next_job : 0;
    uint32_t id = new_id ? new_id : record->id;
    struct ev_split body = {.array_index = index, .new_id = new_id};
    return ctl_emit(c, EV_SPLIT, record->id, &body) < 0 ? NULL : model_get_job(&c->model, id);
}

struct job ctl_as_element(const struct job *record, uint32_t index)
{
    struct job e = *record;
    e.array_index = index;
    e.array_pending.v = NULL;
    e.array_pending.n = 0;
    return e;
}

void ctl_add_array(struct control *c, const struct job *array, struct job_ids *ret)
{
    uint32_t step = array->array_step ? array->array_step : 1;
    vec_push(&ret->ids, array->id);
    for (uint64_t k = array->array_min; k <= array->array_max; k += step) {
        const struct job *e = model_get_element(&c->model, array->id, (uint32_t)k);
        if (e && e->id != array->id && !job_state_is_final(e->state))
            vec_push(&ret->ids, e->id);
    }
}

/* It is looked at as the job that it would be: what is refused leaves it in its record. */
static void act_on_waiting_element(struct session *s, const struct job *record, const struct job_target *t,
                                   const struct msg_act *m, struct outcome *o)
{
    struct job e = ctl_as_element(record, t->array_index);
    o->element = t->array_index;
    act_on_job(s, &e, t->step, m, o);
    o->element = ARRAY_NONE;
}

/* A text or a signal comes once, however often its target is named. */
static bool is_repeated(const struct job_target *t, struct outcome *o)
{
    bool whole = t->step == STEP_ALL;
    struct idmap *seen = whole ? &o->jobs : &o->steps;
    uint64_t key = (uint64_t)t->job << 32 | (whole ? t->array_index : (uint32_t)t->step);
    if (idmap_get(seen, key))
        return true;
    idmap_set(seen, key, o);
    return false;
}

static void act_on_target(struct session *s, const struct job_target *t, const struct msg_act *m,
                          struct outcome *o)
{
    struct control *c = s->ctl;
    struct job_ids meant = {VEC_INIT};
    if (is_repeated(t, o))
        return;
    struct job *j = t->array_index == ARRAY_NONE ? model_get_job(&c->model, t->job)
                                                 : model_get_element(&c->model, t->job, t->array_index);
    if (!j || !session_owns(s, j)) {
        refuse(o, t->job, j ? REFUSAL_NOT_ALLOWED : REFUSAL_NO_JOB,
               j ? "it belongs to another user" : "there is no such job");
        return;
    }
    if (t->array_index != ARRAY_NONE && job_is_array_record(j)) {
        act_on_waiting_element(s, j, t, m, o);
        return;
    }
    if (j->array_job == t->job && t->array_index == ARRAY_NONE)
        ctl_add_array(c, j, &meant);
    else
        vec_push(&meant.ids, j->id);
    vec_for_each (&meant.ids, i) {
        j = model_get_job(&c->model, meant.ids.v[i]);
        /* Of a whole array what has ended is passed over, unless nothing else is left. */
        if (j && (meant.ids.n == 1 || !job_state_is_final(j->state)))
            act_on_job(s, j, t->step, m, o);
    }
    vec_fini(&meant.ids);
}

void req_act(struct session *s, uint64_t tag, const struct msg_act *m)
{
    struct outcome o = {.refusal = REFUSAL_NONE, .element = ARRAY_NONE};
    if (m->act > ACT_NOTIFY || (m->act == ACT_NOTIFY && m->text && strlen(m->text) > NOTIFY_MAX) ||
        (m->act == ACT_SIGNAL && (m->signal < 1 || m->signal > 64)))
        refuse(&o, 0, REFUSAL_BAD_REQUEST, "malformed request");
    if (m->targets.n > TARGETS_MAX) {
        session_reply(s, tag, REFUSAL_TOO_BIG, 0, 0, "more than %u jobs in one request", TARGETS_MAX);
        return;
    }
    for (size_t i = 0; i < m->targets.n && (o.refusal != REFUSAL_BAD_REQUEST); i++)
        act_on_target(s, &m->targets.v[i], m, &o);
    idmap_fini(&o.jobs);
    idmap_fini(&o.steps);
    session_reply(s, tag, o.refusal, o.job, o.count, "%s", o.text.s);
}
