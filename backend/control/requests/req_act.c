#include "backend/control/requests/req_act.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "backend/control/emit.h"
#include "backend/control/nodes/attempt_state.h"
#include "backend/control/nodes/node_peers.h"
#include "backend/control/policy_view.h"
#include "backend/control/requests/array_element.h"
#include "backend/control/users/user_cache.h"
#include "src/base/idmap.h"

#define TARGETS_MAX 100000u
#define NOTIFY_MAX  4096u /* bytes of a text */

struct act_outcome {
    enum refusal refusal;
    uint32_t job;
    uint32_t count;
    struct cause cause;
    struct idmap jobs, steps; /* targets that have been handled: each is once */
    uint32_t element; /* of the array record that is looked at: it becomes a job once something is done
                         to it; ARRAY_NONE: the job itself is meant */
};

/* The first refusal is kept. Takes what *why owns. */
static void act_refuse_for(struct act_outcome *o, uint32_t job, enum refusal r, struct cause *why)
{
    if (o->refusal != REFUSAL_NONE) {
        cause_clear(why);
        return;
    }
    o->refusal = r;
    o->job = job;
    o->cause = *why;
}

static void act_refuse(struct act_outcome *o, uint32_t job, enum refusal r, enum cause_code code)
{
    act_refuse_for(o, job, r, &(struct cause){.code = code, .n = job});
}

/* --- one job --- */

static bool act_emit(struct session *s, struct act_outcome *o, enum event_kind kind, uint32_t job,
                     void *body)
{
    if (o->element != ARRAY_NONE) {
        struct job *record = model_get_job(&s->ctl->model, job);
        const struct job *e = record ? array_element_split(s->ctl, record, o->element) : NULL;
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

static void act_kill(struct session *s, const struct job *j, int32_t step, enum kill_cause cause,
                     enum job_fate fate, uint32_t grace_s, struct act_outcome *o)
{
    if (step != STEP_ALL && j->state == JOB_PENDING) {
        act_refuse(o, j->id, REFUSAL_NO_STEP, CAUSE_JOB_WAITS);
        return;
    }
    struct ev_kill body = {.step = step,
                           .cause = cause,
                           .uid = s->uid,
                           .grace_s = grace_s,
                           .fate = fate,
                           .user = user_name_or_null(s->ctl->users, s->uid)};
    if (!act_emit(s, o, EV_KILL, j->id, &body))
        act_refuse(o, j->id, step == STEP_ALL ? REFUSAL_ENDED : REFUSAL_NO_STEP, CAUSE_JOB_ENDED_OR_ENDING);
}

static void act_signal_task(struct control *c, const struct job *j, const struct step *st,
                            const struct task *t, int32_t signo, enum signal_target target)
{
    struct node_peer *n = t->alloc.node ? node_peer_find(c, t->alloc.node) : NULL;
    struct launch_kill k = {.key = launch_key_of(j, st, t), .signal = signo, .target = target};
    if (n)
        nodeconn_send(n->conn, ctl_ticket(c), MSG_KILL, 0, &k);
}

static bool act_is_live(const struct task *t)
{
    return t->state == TASK_RUNNING || t->state == TASK_LAUNCHING;
}

/* As in Slurm. Without -b or -f a signal goes to the steps' tasks; -b: to the batch shell alone; -f: to the
 * steps, the shell and all of its children; both: to the shell and its children. */
static bool act_is_signalled(const struct step *st, const struct msg_act *m, int32_t step)
{
    if (step != STEP_ALL)
        return st->id == step;
    return st->id == STEP_BATCH ? m->batch || m->full : !m->batch;
}

/* How many live tasks the signal is for. */
static uint32_t act_count_signalled(const struct job *j, const struct msg_act *m, int32_t step)
{
    uint32_t n = 0;
    for (size_t i = 0; i < j->steps.n; i++)
        for (size_t k = 0; act_is_signalled(&j->steps.v[i], m, step) && k < j->steps.v[i].tasks.n; k++)
            n += act_is_live(&j->steps.v[i].tasks.v[k]);
    return n;
}

/* A suspended job stays so: every signal is followed by CONT, which only administrators may cause. */
static bool act_takes_signals(const struct job *j, struct act_outcome *o)
{
    if (j->state == JOB_RUNNING || job_is_in_grace(j))
        return true;
    if (job_state_is_final(j->state))
        act_refuse(o, j->id, REFUSAL_ENDED, CAUSE_JOB_ENDED);
    else if (j->state == JOB_SUSPENDED)
        act_refuse(o, j->id, REFUSAL_NOT_RUNNING, CAUSE_JOB_SUSPENDED);
    else if (j->state == JOB_PENDING)
        act_refuse(o, j->id, REFUSAL_NOT_RUNNING, CAUSE_JOB_WAITS);
    else
        act_refuse(o, j->id, REFUSAL_NOT_RUNNING, CAUSE_JOB_ENDING);
    return false;
}

static void act_signal(struct session *s, const struct job *j, int32_t step, const struct msg_act *m,
                       struct act_outcome *o)
{
    struct control *c = s->ctl;
    if (m->signal == SIGKILL && step == STEP_ALL && !m->batch) { /* ends a job in every state, at once */
        act_kill(s, j, step, KILL_CANCEL, FATE_END, 0, o);
        return;
    }
    if (!act_takes_signals(j, o))
        return;
    struct msg_act how = {.batch = m->batch, .full = m->full};
    if (!act_count_signalled(j, &how, step) && m->else_batch)
        how.full = true;
    if (!act_count_signalled(j, &how, step)) {
        act_refuse(o, j->id, REFUSAL_NO_STEP, CAUSE_NO_STEP_RUNS);
        return;
    }
    uint32_t target = m->batch && !m->full ? SIGNAL_LEADER : SIGNAL_TREE;
    struct ev_signal body = {.step = step,
                             .signal = m->signal,
                             .uid = s->uid,
                             .target = target,
                             .user = user_name_or_null(c->users, s->uid)};
    uint32_t id = j->id;
    act_emit(s, o, EV_SIGNAL, id, &body);
    for (size_t i = 0; i < j->steps.n; i++)
        for (size_t k = 0; act_is_signalled(&j->steps.v[i], &how, step) && k < j->steps.v[i].tasks.n; k++) {
            const struct task *t = &j->steps.v[i].tasks.v[k];
            if (act_is_live(t))
                act_signal_task(c, j, &j->steps.v[i], t, m->signal, target);
        }
}

struct notes {      /* jobs that have been told something ... */
    int64_t second; /* ... in this second of the loop's clock */
    struct idmap jobs;
};

/* A job's owner could fill the connection to a node with notes. */
static bool act_may_notify(struct control *c, uint32_t job)
{
    struct notes *n = c->state[MODULE_REQ_ACT];
    int64_t second = loop_now(c->loop).ns / NS_PER_S;
    if (n->second != second)
        idmap_fini(&n->jobs);
    n->second = second;
    if (idmap_get(&n->jobs, job))
        return false;
    idmap_set(&n->jobs, job, n);
    return true;
}

/* A text for the standard error of the batch script, or of the steps of a job that has none. */
static void act_notify(struct session *s, const struct job *j, int32_t step, const struct msg_act *m,
                       struct act_outcome *o)
{
    struct control *c = s->ctl;
    bool script = job_find_step(j, STEP_BATCH) != NULL;
    if (!job_state_is_final(j->state) && !act_may_notify(c, j->id)) {
        act_refuse(o, j->id, REFUSAL_RATE, CAUSE_NOTE_RATE);
        return;
    }
    for (size_t i = 0; i < j->steps.n; i++) {
        const struct step *st = &j->steps.v[i];
        for (size_t k = 0; k < st->tasks.n; k++) {
            const struct task *t = &st->tasks.v[k];
            struct node_peer *n = t->alloc.node ? node_peer_find(c, t->alloc.node) : NULL;
            bool meant = step != STEP_ALL ? st->id == step : st->id == STEP_BATCH || !script;
            if (!meant || t->state != TASK_RUNNING || !n)
                continue;
            char *note = xasprintf("slurmstepd: error: %s", m->text ? m->text : "");
            struct launch_kill body = {
                .key = launch_key_of(j, st, t), .signal = LAUNCH_NOTE_ONLY, .note = note};
            nodeconn_send(n->conn, ctl_ticket(c), MSG_KILL, 0, &body);
            free(note);
            o->count++;
        }
    }
    if (!o->count)
        act_refuse(o, j->id, job_state_is_final(j->state) ? REFUSAL_ENDED : REFUSAL_NOT_RUNNING,
                   CAUSE_NO_TASK_RUNS);
}

/* Only administrators change an administrator's hold, also to a weaker one. */
static bool act_may_change_hold(const struct session *s, const struct job *j, struct act_outcome *o)
{
    if (j->hold != HOLD_ADMIN || s->admin)
        return true;
    act_refuse(o, j->id, REFUSAL_NOT_ALLOWED, CAUSE_ADMIN_HOLD);
    return false;
}

/* A job that was submitted held has not been checked yet. A partition that takes no new jobs keeps the jobs
 * that it has. */
static bool act_can_ever_run(struct session *s, const struct job *j, struct act_outcome *o)
{
    struct cause why = {0};
    struct sched_view v = policy_view(s->ctl);
    enum refusal r = j->hold == HOLD_NONE ? REFUSAL_NONE : sched_admit(s->ctl->planner, &v, j, &why);
    if (r == REFUSAL_PART_DOWN) {
        cause_clear(&why);
        return true;
    }
    if (r == REFUSAL_NONE && j->hold != HOLD_NONE)
        r = sched_admit_counts(s->ctl->planner, &v, j, (struct sched_admit_how){0}, loop_wall(s->ctl->loop),
                               &why);
    if (r == REFUSAL_NONE)
        return true;
    act_refuse_for(o, j->id, r, &why);
    return false;
}

static void act_hold(struct session *s, const struct job *j, enum job_hold hold, struct act_outcome *o)
{
    if (j->state != JOB_PENDING) {
        act_refuse(o, j->id, job_state_is_final(j->state) ? REFUSAL_ENDED : REFUSAL_NOT_PENDING,
                   CAUSE_JOB_NOT_WAITING);
        return;
    }
    if (!act_may_change_hold(s, j, o) || (hold == HOLD_NONE && !act_can_ever_run(s, j, o)))
        return;
    struct ev_hold body = {.hold = hold, .uid = s->uid, .user = user_name_or_null(s->ctl->users, s->uid)};
    act_emit(s, o, EV_HOLD, j->id, &body);
}

static void act_requeue(struct session *s, const struct job *j, bool hold, struct act_outcome *o)
{
    if (!act_may_change_hold(s, j, o))
        return;
    if (j->state == JOB_PENDING) {
        if (hold)
            act_hold(s, j, HOLD_USER, o);
        else
            act_refuse(o, j->id, REFUSAL_NOT_RUNNING, CAUSE_JOB_WAITS);
    } else if (j->kind == JOB_KIND_INTERACTIVE) {
        act_refuse(o, j->id, REFUSAL_NOT_SUPPORTED, CAUSE_INTERACTIVE_REQUEUE);
    } else if (req_detail(&j->req)->requeue == 2) {
        act_refuse(o, j->id, REFUSAL_NOT_ALLOWED, CAUSE_NO_REQUEUE);
    } else if (s->ctl->stopping == STOP_AFTER_JOBS) {
        act_refuse(o, j->id, REFUSAL_SHUTTING_DOWN, CAUSE_STOPPING_JOBS);
    } else if (job_state_is_final(j->state)) {
        struct ev_requeue body = {
            .hold = hold, .uid = s->uid, .user = user_name_or_null(s->ctl->users, s->uid)};
        if (!act_emit(s, o, EV_REQUEUE, j->id, &body))
            act_refuse(o, j->id, REFUSAL_ENDED, CAUSE_JOB_NEVER_STARTED);
    } else {
        act_kill(s, j, STEP_ALL, KILL_REQUEUE, hold ? FATE_REQUEUE_HOLD : FATE_REQUEUE,
                 s->ctl->model.spec.kill_wait_s, o);
    }
}

/* For administrators, as in Slurm: a suspended job keeps its resources from all other jobs. */
static void act_suspend(struct session *s, const struct job *j, bool on, struct act_outcome *o)
{
    if (!s->admin)
        act_refuse_for(o, j->id, REFUSAL_NOT_ALLOWED,
                       &(struct cause){.code = CAUSE_ADMINS_ONLY, .what = ADMIN_ACT_SUSPEND});
    else if (job_state_is_final(j->state) || j->state == JOB_COMPLETING)
        act_refuse(o, j->id, REFUSAL_ENDED, CAUSE_JOB_ENDED_OR_ENDING);
    else if (j->state == JOB_PENDING)
        act_refuse(o, j->id, REFUSAL_PENDING, CAUSE_JOB_WAITS);
    else if (j->kind == JOB_KIND_STEPS)
        act_refuse(o, j->id, REFUSAL_NOT_SUPPORTED, CAUSE_STEP_JOB_SUSPEND);
    else {
        struct ev_suspend body = {
            .on = on, .uid = s->uid, .user = user_name_or_null(s->ctl->users, s->uid)};
        if (!act_emit(s, o, EV_SUSPEND, j->id, &body))
            act_refuse(o, j->id, REFUSAL_NOT_RUNNING, on ? CAUSE_JOB_NOT_RUNNING : CAUSE_JOB_NOT_SUSPENDED);
    }
}

static void act_apply(struct session *s, const struct job *j, int32_t step, const struct msg_act *m,
                      struct act_outcome *o)
{
    switch ((enum act)m->act) {
    case ACT_CANCEL: act_kill(s, j, step, KILL_CANCEL, FATE_END, s->ctl->model.spec.kill_wait_s, o); break;
    case ACT_SIGNAL: act_signal(s, j, step, m, o); break;
    case ACT_HOLD:
        act_hold(s, j, s->admin && m->admin_hold && s->uid != j->uid ? HOLD_ADMIN : HOLD_USER, o);
        break;
    case ACT_RELEASE: act_hold(s, j, HOLD_NONE, o); break;
    case ACT_REQUEUE: act_requeue(s, j, false, o); break;
    case ACT_REQUEUE_HOLD: act_requeue(s, j, true, o); break;
    case ACT_SUSPEND: act_suspend(s, j, true, o); break;
    case ACT_RESUME: act_suspend(s, j, false, o); break;
    case ACT_NOTIFY: act_notify(s, j, step, m, o); break;
    }
}

/* --- targets --- */

/* Checked as the job that it would be: a refusal leaves it in its record. */
static void act_on_waiting_element(struct session *s, const struct job *record, const struct job_target *t,
                                   const struct msg_act *m, struct act_outcome *o)
{
    struct job e = array_element_of(record, t->array_index);
    o->element = t->array_index;
    act_apply(s, &e, t->step, m, o);
    o->element = ARRAY_NONE;
}

/* A text or a signal is sent once, however often its target is named. */
static bool act_is_repeated(const struct job_target *t, struct act_outcome *o)
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
                          struct act_outcome *o)
{
    struct control *c = s->ctl;
    struct job_ids meant = {VEC_INIT};
    if (act_is_repeated(t, o))
        return;
    struct job *j = t->array_index == ARRAY_NONE ? model_get_job(&c->model, t->job)
                                                 : model_get_element(&c->model, t->job, t->array_index);
    if (!j || !session_owns(s, j)) {
        act_refuse(o, t->job, j ? REFUSAL_NOT_ALLOWED : REFUSAL_NO_JOB,
                   j ? CAUSE_OTHER_USERS_JOB : CAUSE_NO_JOB);
        return;
    }
    if (t->array_index != ARRAY_NONE && job_is_array_record(j)) {
        act_on_waiting_element(s, j, t, m, o);
        return;
    }
    if (j->array_job == t->job && t->array_index == ARRAY_NONE)
        array_element_ids(c, j, &meant);
    else
        vec_push(&meant.ids, j->id);
    vec_for_each (&meant.ids, i) {
        j = model_get_job(&c->model, meant.ids.v[i]);
        /* Ended elements of a whole array are skipped, unless no others are left. */
        if (j && (meant.ids.n == 1 || !job_state_is_final(j->state)))
            act_apply(s, j, t->step, m, o);
    }
    vec_fini(&meant.ids);
}

void req_act(struct session *s, uint64_t tag, void *body)
{
    const struct msg_act *m = body;
    struct act_outcome o = {.refusal = REFUSAL_NONE, .element = ARRAY_NONE};
    if (m->act > ACT_NOTIFY || (m->act == ACT_NOTIFY && m->text && strlen(m->text) > NOTIFY_MAX) ||
        (m->act == ACT_SIGNAL && (m->signal < 1 || m->signal > 64)))
        act_refuse(&o, 0, REFUSAL_BAD_REQUEST, CAUSE_MALFORMED);
    if (m->targets.n > TARGETS_MAX) {
        session_refuse(s, tag, REFUSAL_TOO_BIG, 0,
                       &(struct cause){.code = CAUSE_ASKED_TOO_MANY, .most = TARGETS_MAX});
        return;
    }
    for (size_t i = 0; i < m->targets.n && (o.refusal != REFUSAL_BAD_REQUEST); i++)
        act_on_target(s, &m->targets.v[i], m, &o);
    idmap_fini(&o.jobs);
    idmap_fini(&o.steps);
    session_answer(
        s, tag,
        &(struct msg_result){.refusal = o.refusal, .job = o.job, .count = o.count, .cause = o.cause});
}

bool req_act_frees(const void *body)
{
    const struct msg_act *m = body;
    return m->act == ACT_CANCEL || (m->act == ACT_SIGNAL && m->signal == SIGKILL);
}

static void req_act_start(struct control *c)
{
    c->state[MODULE_REQ_ACT] = xcalloc(1, sizeof(struct notes));
}

static void req_act_stop(struct control *c)
{
    struct notes *n = c->state[MODULE_REQ_ACT];
    idmap_fini(&n->jobs);
    free(n);
}

const struct module_ops req_act_module = {.start = req_act_start, .stop = req_act_stop};
