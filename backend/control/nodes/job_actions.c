#include "backend/control/nodes/job_actions.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>

#include "backend/control/emit.h"
#include "backend/control/nodes/attempt_state.h"
#include "backend/control/nodes/launch_spec.h"
#include "backend/control/nodes/node_peers.h"
#include "backend/control/nodes/output_order.h"
#include "backend/control/nodes/time_limit.h"
#include "backend/control/payload_cache.h"
#include "src/base/idmap.h"
#include "src/proto/codec.h"

#define IN_VAIN_MAX 256u /* waiting steps of a job that are tried in a loop iteration */

/* Bytes that may wait for a node. A launch has several megabytes: further ones are sent when the node has
 * taken these. A full queue would end the connection, and all of it would be sent again. */
#define LAUNCH_QUEUE_MAX (4u << 20)

#define KILL_QUEUE_MAX (32u << 20)

/* An attempt that could not be launched ends here. */
static void job_actions_end_unlaunched(struct control *c, const struct attempt_state *f, enum end_kind kind,
                                       enum cause_code why)
{
    struct ev_end body = {.step = f->key.step,
                          .task = f->key.task,
                          .attempt = f->key.attempt,
                          .end_kind = kind,
                          .t_end = loop_wall(c->loop)};
    struct cause *cause = causes_set(&body.why, why);
    if (why == CAUSE_TASK_LAUNCH_TOO_BIG)
        cause->most = FRAME_MAX;
    uint32_t job = f->key.job, attempt = f->key.attempt;
    ctl_emit(c, EV_END, job, &body);
    attempt_state_drop(c, job, attempt);
}

static void job_actions_send_launch(struct control *c, const struct job *j, const struct step *s,
                                    const struct task *t, struct attempt_state *f, const uint8_t *p,
                                    size_t n)
{
    struct node_peer *peer = node_peer_find(c, t->alloc.node);
    struct launch l;
    if (!peer || !peer->reconciled)
        return; /* the node's report leads here again */
    if (output_order_waits_for_opener(c, j, s, t))
        return; /* the report that the other task runs, or has ended, leads here again */
    if (node_peer_must_wait(peer, j->id, LAUNCH_QUEUE_MAX))
        return;
    if (t->n_ranks > NODE_RANKS_MAX) { /* of an older state: new jobs are refused */
        job_actions_end_unlaunched(c, f, END_LAUNCH_FAILED, CAUSE_TASK_RANKS_TOO_MANY);
        return;
    }
    f->early_for_ms = f->limit_for_ms = time_limit_base_ms(j);
    int r = launch_spec_build(c, j, s, t, p, n, &l);
    if (r < 0) {
        job_actions_end_unlaunched(c, f, END_LAUNCH_FAILED,
                                   r == -E2BIG ? CAUSE_TASK_LAUNCH_TOO_BIG : CAUSE_TASK_NO_SCRIPT);
        return;
    }
    struct str b = STR_INIT;
    codec_encode(&launch_rec, &l, &b);
    rec_fini(&launch_rec, &l);
    if (b.len > FRAME_MAX)
        job_actions_end_unlaunched(c, f, END_LAUNCH_FAILED, CAUSE_TASK_LAUNCH_TOO_BIG);
    else
        f->sent = nodeconn_send_encoded(peer->conn, ctl_ticket(c), MSG_LAUNCH, 0, b.s, b.len);
    str_fini(&b);
}

static void job_actions_on_payload(void *ctx, uint32_t job, int32_t step, const uint8_t *p, size_t n);

static void job_actions_launch(struct control *c, const struct job *j, const struct step *s,
                               const struct task *t, struct attempt_state *f)
{
    size_t n = 0;
    uint32_t job = payload_owner(j, s->id);
    const uint8_t *p = payload_cache_get(c->payloads, job, s->id, &n);
    size_t env_n;
    bool steps = j->kind == JOB_KIND_STEPS;
    if (p && (!steps || payload_cache_get(c->payloads, job, STEP_ALL, &env_n))) {
        job_actions_send_launch(c, j, s, t, f, p, n);
    } else if (!f->loading) {
        f->loading = true;
        if (steps) /* just before the step's own, so that neither leaves the cache before the launch */
            payload_read(c, job, STEP_ALL, job_actions_on_payload, c);
        payload_read(c, job, s->id, job_actions_on_payload, c);
    }
}

static void job_actions_on_payload(void *ctx, uint32_t job, int32_t step, const uint8_t *p, size_t n)
{
    struct control *c = ctx;
    VEC(struct launch_key) waiting = VEC_INIT;
    idmap_for_each (attempt_states(c), slot) {
        const struct attempt_state *f = slot->value;
        if (f->loading && f->key.step == step)
            vec_push(&waiting, f->key);
    }
    vec_for_each (&waiting, i) {
        struct attempt_state *f = attempt_state_find(c, waiting.v[i].job, waiting.v[i].attempt);
        const struct job *j = f ? model_get_job(&c->model, f->key.job) : NULL;
        const struct step *s = j ? job_find_step(j, step) : NULL;
        const struct task *t = s ? step_find_attempt(s, f->key.task, f->key.attempt) : NULL;
        if (!t || payload_owner(j, step) != job)
            continue;
        f->loading = false;
        if (!f->sent && t->state == TASK_LAUNCHING && !t->killing)
            job_actions_send_launch(c, j, s, t, f, p, n);
    }
    vec_fini(&waiting);
}

/* srun --wait gives the ranks that are left no grace, as in Slurm. */
static bool job_actions_waited_out(const struct step *s)
{
    for (size_t i = 0; i < s->tasks.n; i++)
        if (s->tasks.v[i].waited_out)
            return true;
    return false;
}

/* Steps that outlive their batch script are killed at once; all else has time to save its data. */
static uint32_t job_actions_grace(const struct control *c, const struct job *j, const struct step *s)
{
    if (s->wait_s && job_actions_waited_out(s))
        return 0;
    return j->kill_cause != KILL_NONE ? job_rare(j)->kill_grace_s : c->model.spec.kill_wait_s;
}

/* A task that is ended while its step goes on has lost one of its parts. */
static enum kill_cause job_actions_cause(const struct job *j, const struct step *s)
{
    return j->kill_cause != KILL_NONE   ? j->kill_cause
           : s->kill_cause != KILL_NONE ? s->kill_cause
                                        : KILL_STEP_FAILED;
}

static bool job_actions_has_steps(const struct job *j)
{
    for (size_t i = 0; i < j->steps.n; i++)
        if (j->steps.v[i].id != STEP_BATCH && !j->steps.v[i].done)
            return true;
    return false;
}

/* A preempted job that has asked for a signal before its end (--signal) gets it at once, to save its work
 * in its grace time. No other process of it gets TERM then: the batch shell would end with its steps. */
static enum launch_notice job_actions_notice(const struct job *j, const struct step *s,
                                             const struct launch_kill *k)
{
    if (!req_rare(&j->req)->signal || k->cause != KILL_PREEMPT || !k->grace_s)
        return NOTICE_TERM;
    if (time_limit_signals_early(j, s))
        return NOTICE_OWN;
    return req_detail(&j->req)->signal_batch || job_actions_has_steps(j) ? NOTICE_NONE : NOTICE_TERM;
}

static void job_actions_send_kill(struct control *c, const struct job *j, const struct step *s,
                                  const struct task *t, struct attempt_state *f)
{
    struct node_peer *peer = node_peer_find(c, t->alloc.node);
    enum kill_cause cause = job_actions_cause(j, s);
    struct launch_kill k = {.key = f->key,
                            .cause = cause,
                            .grace_s = job_actions_grace(c, j, s),
                            .note = launch_spec_kill_note(c, j, s, t)};
    k.notice = job_actions_notice(j, s, &k);
    f->kill_sent = nodeconn_send(peer->conn, ctl_ticket(c), MSG_KILL, 0, &k);
    f->kill_grace_s = k.grace_s;
    f->kill_cause = cause;
    free(k.note);
}

/* Stops or continues a task, where the node has not been told so over this connection. No-op for a job that
 * was never suspended. */
static void job_actions_set_motion(struct control *c, const struct job *j, const struct step *s,
                                   const struct task *t, struct attempt_state *f)
{
    bool stop = j->state == JOB_SUSPENDED;
    bool known = f->motion == (stop ? MOTION_STOPPED : MOTION_GOING);
    struct node_peer *peer = node_peer_find(c, t->alloc.node);
    if (known || (!stop && !wall_is_set(job_rare(j)->t_suspend)))
        return;
    struct launch_kill k = {
        .key = launch_key_of(j, s, t), .signal = stop ? SIGSTOP : SIGCONT, .target = SIGNAL_TREE};
    if (nodeconn_send(peer->conn, ctl_ticket(c), MSG_KILL, 0, &k))
        f->motion = stop ? MOTION_STOPPED : MOTION_GOING;
}

/* Returns false where the task's job may have changed under the caller. */
static bool job_actions_derive_task(struct control *c, const struct job *j, const struct step *s,
                                    const struct task *t)
{
    struct node_peer *peer = node_peer_find(c, t->alloc.node);
    struct attempt_state *f = attempt_state_get(c, j, s, t);
    if (!peer || !peer->reconciled || node_peer_must_wait(peer, j->id, KILL_QUEUE_MAX))
        return true;
    if (t->killing && !f->sent) { /* the node does not have it, and never will */
        job_actions_end_unlaunched(c, f, END_KILLED, CAUSE_TASK_NOT_STARTED);
        return false;
    }
    /* Sent again if it must end sooner, or for another cause: a cancel ends the grace time of a
     * preemption. */
    if (t->killing && (!f->kill_sent || job_actions_grace(c, j, s) < f->kill_grace_s ||
                       job_actions_cause(j, s) != f->kill_cause))
        job_actions_send_kill(c, j, s, t, f);
    else if (t->state == TASK_LAUNCHING && !f->sent && !node_peer_must_wait(peer, j->id, LAUNCH_QUEUE_MAX))
        job_actions_launch(c, j, s, t, f);
    else if (!t->killing && f->sent) {
        if (t->state == TASK_RUNNING)
            job_actions_set_motion(c, j, s, t, f);
        /* Already while the node starts it: the node keeps the time where this controller is gone before it
         * hears that the task runs. */
        time_limit_tell_early(c, j, s, t, f);
        time_limit_tell(c, j, t, f);
    }
    return true;
}

static bool job_actions_derive_tasks(struct control *c, const struct job *j)
{
    for (size_t i = 0; i < j->steps.n; i++) {
        const struct step *s = &j->steps.v[i];
        for (size_t k = step_live_begin(s); !s->done && k < step_live_end(s); k++) {
            enum task_state state = s->tasks.v[k].state;
            if ((state == TASK_LAUNCHING || state == TASK_RUNNING) &&
                !job_actions_derive_task(c, j, s, &s->tasks.v[k]))
                return false;
        }
    }
    return true;
}

static void job_actions_place_steps(struct control *c, struct job *j)
{
    uint32_t id = j->id, in_vain = 0;
    for (size_t i = 0;
         j->kind != JOB_KIND_STEPS && j->state == JOB_RUNNING && i < j->steps.n && in_vain < IN_VAIN_MAX;
         i++) {
        const struct step *s = &j->steps.v[i];
        if (s->done || s->id < 0 || !s->tasks.n || s->tasks.v[0].state != TASK_WAITING)
            continue;
        struct sched_places places = {0};
        bool fits = sched_fit_step(j, s, &places, NULL) == STEP_FITS && places.v.n == s->tasks.n;
        in_vain += !fits;
        vec_for_each (&places.v, k) {
            if (fits)
                ctl_emit(c, EV_PLACE, id, &places.v.v[k]);
            else
                rec_fini(&ev_place_rec, &places.v.v[k]);
        }
        vec_fini(&places.v);
    }
}

void job_actions_derive(struct control *c, struct job *j)
{
    if (job_state_is_final(j->state) || j->state == JOB_PENDING) {
        time_limit_drop(c, j->id);
        return;
    }
    time_limit_set(c, j);
    if (!job_actions_derive_tasks(c, j))
        return; /* the event has touched the job again */
    job_actions_place_steps(c, j);
}
