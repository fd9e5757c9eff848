/* finish.c - how steps and jobs end, and how a job gets back into the queue.
 *
 * A job's end has two parts: job_begin_end (nothing new starts, what lives is being killed: COMPLETING)
 * and, when the last task has ended, job_settle (resources free, a final state or PENDING again).
 */
#include <stdlib.h>

#include "src/base/xalloc.h"
#include "src/model/jobeffective.h"
#include "src/model/model_private.h"
#include "src/model/task_parts.h"
#include "src/values/units.h"

/* After this many losses of its node a job is held: it may be what kills the nodes. */
#define LOSSES_MAX 5

void step_kill(struct step *s, enum kill_cause cause, struct wall t)
{
    if (s->done)
        return;
    if (!s->killing) {
        s->killing = true;
        s->kill_cause = cause;
    }
    s->n_waiting_last = 0;
    for (size_t i = 0; i < s->tasks.n; i++) {
        struct task *task = &s->tasks.v[i];
        if (task->state == TASK_WAITING) {
            task->state = TASK_DONE;
            task->end_kind = END_NOT_RUN;
            task->t_end = t;
        } else if (task->state != TASK_DONE) {
            task->killing = true;
        }
    }
}

void task_end_parts(struct step *s, size_t at)
{
    size_t end = task_parts_end(s, at);
    for (size_t i = at; i < end; i++)
        s->tasks.v[i].killing = s->tasks.v[i].killing || s->tasks.v[i].state != TASK_DONE;
}

/* When the last task of a step ended: the node's word, where it lies in the step's time; an event may come
 * hours later. */
static struct wall step_last_end(const struct step *s, struct wall t)
{
    int64_t last = 0;
    for (size_t i = 0; i < s->tasks.n; i++)
        last = s->tasks.v[i].t_end.ms > last ? s->tasks.v[i].t_end.ms : last;
    return last && last >= s->t_start.ms && last < t.ms ? (struct wall){.ms = last} : t;
}

bool step_settle(struct step *s, struct wall t)
{
    int32_t worst = -1;
    while (s->n_done_first < s->tasks.n && s->tasks.v[s->n_done_first].state == TASK_DONE)
        s->n_done_first++;
    if (s->n_done_first < s->tasks.n)
        return false;
    for (size_t i = 0; i < s->tasks.n; i++) {
        const struct task *task = &s->tasks.v[i];
        int32_t w = task->signal ? 128 + task->signal : task->code;
        if (task->end_kind == END_UNKNOWN || task->end_kind == END_LAUNCH_FAILED ||
            task->end_kind == END_NODE_REBOOT || task->end_kind == END_LEASE)
            w = w > 0 ? w : 1;
        if (w > worst) {
            worst = w;
            s->code = task->signal ? 0 : w;
            s->signal = task->signal;
        }
    }
    if (!s->done) {
        s->done = true;
        s->t_end = step_last_end(s, t);
    }
    return true;
}

bool job_begin_next_step(struct job *j)
{
    for (size_t i = 0; i < j->steps.n; i++) {
        struct step *s = &j->steps.v[i];
        if (s->done || s->tasks.n)
            continue;
        uint32_t nodes = step_task_nodes(s), ranks = s->n_ranks ? s->n_ranks : 1;
        for (uint64_t k = 0; k < (uint64_t)s->n_tasks * nodes; k++) {
            struct task *t = rec_list_push(&s->tasks);
            t->index = (uint32_t)(k / nodes);
            t->part = (uint32_t)(k % nodes);
            t->n_ranks = ranks;
            t->rank_base = t->part * ranks;
        }
        s->n_waiting_last = (uint32_t)s->tasks.n;
        return true;
    }
    return false;
}

void job_end_pause(struct job *j, struct wall t)
{
    if (j->state == JOB_SUSPENDED && t.ms > job_rare(j)->t_suspend.ms)
        job_rare_mut(j)->suspended_ms += (uint64_t)(t.ms - job_rare(j)->t_suspend.ms);
}

/* When the last of its processes ended: the node's word, where its clock agrees with ours that this lies in
 * the job's time. */
static struct wall last_end(const struct job *j, struct wall t)
{
    int64_t last = 0;
    for (size_t i = 0; j->kind != JOB_KIND_INTERACTIVE && i < j->steps.n; i++)
        for (size_t k = 0; k < j->steps.v[i].tasks.n; k++) {
            int64_t ms = j->steps.v[i].tasks.v[k].t_end.ms;
            last = ms > last ? ms : last;
        }
    return last && last >= j->t_start.ms && last < t.ms ? (struct wall){.ms = last} : t;
}

void job_begin_end(struct model *m, struct job *j, enum kill_cause cause, struct wall t)
{
    /* What ended while its node was out of reach ended before this is heard, even before the pause. */
    job_end_pause(j, job_live_tasks(j) ? t : last_end(j, t));
    if (j->state != JOB_COMPLETING) {
        model_dequeue(m, j);
        j->state = JOB_COMPLETING;
        model_enqueue(m, j);
    }
    for (size_t i = 0; i < j->steps.n; i++) {
        struct step *s = &j->steps.v[i];
        step_kill(s, cause, t);
        if (s->tasks.n)
            step_settle(s, t);
    }
    job_settle(m, j, t);
}

static bool was_cut_short(const struct task *t)
{
    return t->end_kind == END_KILLED || t->end_kind == END_NOT_RUN;
}

void job_advance_steps(struct model *m, struct job *j, struct step *s, const struct task *failed,
                       struct wall t)
{
    if (j->state != JOB_RUNNING)
        return;
    /* A step that was ended from outside has failed too, even where its last task still exited by
     * itself. */
    for (size_t i = 0; s->done && !failed && i < s->tasks.n; i++)
        if (was_cut_short(&s->tasks.v[i]))
            failed = &s->tasks.v[i];
    if (failed && !s->keep_going) {
        j->exit_code = failed->code;
        j->exit_signal = failed->signal;
        job_begin_end(m, j, KILL_STEP_FAILED, t);
    } else if (s->done && !job_begin_next_step(j)) {
        job_begin_end(m, j, KILL_JOB_ENDED, t);
    }
}

/* --- what a job ends as --- */

struct outcome {
    enum job_state state;
    enum reason reason;
};

static struct outcome outcome_of_kill(enum kill_cause cause)
{
    switch (cause) {
    case KILL_CANCEL:
    case KILL_REQUEUE:
    case KILL_OWNER_GONE: return (struct outcome){JOB_CANCELLED, REASON_NONE};
    case KILL_TIMEOUT: return (struct outcome){JOB_TIMEOUT, REASON_TIME_LIMIT};
    case KILL_PREEMPT: return (struct outcome){JOB_PREEMPTED, REASON_NONE};
    case KILL_NODE_FAIL: return (struct outcome){JOB_NODE_FAIL, REASON_NODE_DOWN};
    case KILL_STEP_FAILED: return (struct outcome){JOB_FAILED, REASON_NON_ZERO_EXIT};
    case KILL_OOM: return (struct outcome){JOB_OUT_OF_MEMORY, REASON_OUT_OF_MEMORY};
    case KILL_DEADLINE: return (struct outcome){JOB_DEADLINE, REASON_DEADLINE};
    case KILL_DEPENDENCY: return (struct outcome){JOB_CANCELLED, REASON_DEPENDENCY_NEVER};
    case KILL_NONE:
    case KILL_JOB_ENDED:
    case KILL_N_CAUSES: break;
    }
    return (struct outcome){JOB_COMPLETED, REASON_NONE};
}

static struct outcome outcome_of_end(enum end_kind kind, int32_t code, int32_t sig)
{
    switch (kind) {
    case END_OOM: return (struct outcome){JOB_OUT_OF_MEMORY, REASON_OUT_OF_MEMORY};
    case END_TIMEOUT: return (struct outcome){JOB_TIMEOUT, REASON_TIME_LIMIT};
    case END_LAUNCH_FAILED: return (struct outcome){JOB_FAILED, REASON_LAUNCH_FAILURE};
    case END_LEASE:
    case END_NODE_REBOOT: return (struct outcome){JOB_NODE_FAIL, REASON_NODE_DOWN};
    case END_UNKNOWN: return (struct outcome){JOB_FAILED, REASON_SYSTEM_FAILURE};
    case END_KILLED:
    case END_NONE:
    case END_EXITED:
    case END_SIGNALED:
    case END_NOT_RUN:
    case END_N_KINDS: break;
    }
    if (sig)
        return (struct outcome){JOB_FAILED, REASON_RAISED_SIGNAL};
    if (code)
        return (struct outcome){JOB_FAILED, REASON_NON_ZERO_EXIT};
    return (struct outcome){JOB_COMPLETED, REASON_NONE};
}

/* Of a step job: the first task that went wrong by itself; those that were killed because of it say
 * less. */
static struct outcome outcome_of_steps(const struct job *j)
{
    bool cut = false;
    for (size_t i = 0; i < j->steps.n; i++) {
        const struct step *s = &j->steps.v[i];
        cut = cut || !s->done;
        for (size_t k = 0; k < s->tasks.n && !s->keep_going; k = task_parts_end(s, k)) {
            const struct task *t = task_parts_speaker(s, k);
            struct outcome o = outcome_of_end(t->end_kind, t->code, t->signal);
            if (o.state != JOB_COMPLETED && !was_cut_short(t))
                return o;
            cut = cut || was_cut_short(t);
        }
    }
    /* Nothing failed, but not everything has run: one of the steps was ended from outside. */
    for (size_t i = 0; cut && i < j->steps.n; i++)
        if (j->steps.v[i].killing && j->steps.v[i].kill_cause != KILL_JOB_ENDED &&
            !j->steps.v[i].keep_going)
            return outcome_of_kill(j->steps.v[i].kill_cause);
    return cut ? outcome_of_kill(KILL_STEP_FAILED) : (struct outcome){JOB_COMPLETED, REASON_NONE};
}

/* Every task has run to its own end: a kill on its way to them came too late. */
static bool steps_ran_through(const struct job *j)
{
    for (size_t i = 0; i < j->steps.n; i++) {
        const struct step *s = &j->steps.v[i];
        if (!s->done)
            return false;
        for (size_t k = 0; k < s->tasks.n; k++)
            if (s->tasks.v[k].end_kind != END_EXITED)
                return false;
    }
    return true;
}

static struct outcome outcome_of(const struct job *j)
{
    if (j->kill_cause != KILL_NONE && j->kill_cause != KILL_STEP_FAILED && j->kill_cause != KILL_JOB_ENDED)
        return outcome_of_kill(j->kill_cause);
    if (j->kind == JOB_KIND_STEPS)
        return outcome_of_steps(j);
    if (j->kind == JOB_KIND_INTERACTIVE)
        return outcome_of_end(END_EXITED, j->exit_code, j->exit_signal);
    const struct step *s = job_find_step(j, STEP_BATCH);
    return s && s->tasks.n ? outcome_of_end(s->tasks.v[0].end_kind, j->exit_code, j->exit_signal)
                           : (struct outcome){JOB_FAILED, REASON_SYSTEM_FAILURE};
}

/* At its time limit, or because its node ended it there while the controller was away. */
static bool is_restarted_at_limit(const struct model *m, const struct job *j)
{
    return outcome_of(j).state == JOB_TIMEOUT && j->restarts < job_limit_restarts(m, j);
}

bool job_comes_back(const struct model *m, const struct job *j)
{
    if (j->kind == JOB_KIND_INTERACTIVE || !wall_is_set(j->t_start))
        return false;
    if (j->fate != FATE_END || is_restarted_at_limit(m, j))
        return true;
    return req_detail(&j->req)->requeue != 2 && outcome_of(j).state == JOB_NODE_FAIL;
}

/* Gives back what it holds, and charges it to its user. */
static void release(struct model *m, struct job *j, struct wall t)
{
    if (!j->holding)
        return;
    usage_charge(m, j, j->alloc.v, j->alloc.n, j->t_start, last_end(j, t), t);
    uncharge_all(m, j->alloc.v, j->alloc.n);
    j->holding = false;
}

static void clear_steps(struct job *j)
{
    bool declared = j->kind == JOB_KIND_STEPS;
    for (size_t i = 0; i < j->steps.n; i++) {
        struct step *s = &j->steps.v[i];
        if (!declared) {
            rec_fini(&step_rec, s);
            continue;
        }
        for (size_t k = 0; k < s->tasks.n; k++)
            rec_fini(&task_rec, &s->tasks.v[k]);
        free(s->tasks.v);
        s->tasks.v = NULL;
        s->tasks.n = 0;
        s->n_done_first = s->n_waiting_last = 0;
        s->t_start = s->t_end = (struct wall){0};
        s->killing = s->done = false;
        s->kill_cause = KILL_NONE;
        s->code = s->signal = 0;
    }
    if (!declared) {
        free(j->steps.v);
        j->steps.v = NULL;
        j->steps.n = 0;
    }
}

void job_reset_partition(struct job *j)
{
    struct strv parts = strv_split(j->req.partition, ",");
    if (parts.n) {
        xstrset(&j->partition, parts.v[0]);
    }
    strv_fini(&parts);
}

/* One that has ended says itself how, and when. */
static void keep_run(struct job *j, struct wall t)
{
    if (job_state_is_final((enum job_state)j->state)) {
        run_keep(j, (enum job_state)j->state, (enum reason)j->reason, j->t_end, t);
    } else {
        struct outcome o = outcome_of(j);
        run_keep(j, o.state, o.reason, last_end(j, t), t);
    }
}

void job_put_back(struct model *m, struct job *j, struct wall t, enum reason held)
{
    keep_run(j, t);
    release(m, j, t);
    model_dequeue(m, j);
    clear_steps(j);
    rec_list_free(&alloc_rec, &j->alloc);
    j->state = JOB_PENDING;
    j->restarts++;
    j->fate = FATE_END;
    j->kill_cause = KILL_NONE;
    struct job_rare *rare = job_rare_mut(j); /* it has a run that is over */
    rare->kill_uid = rare->kill_grace_s = 0;
    free(rare->kill_user);
    rare->kill_user = NULL;
    rare->t_kill = rare->t_suspend = (struct wall){0};
    rare->suspended_ms = 0;
    rare->derived_code = 0;
    j->t_start = j->t_end = j->t_settled = (struct wall){0};
    j->t_eligible = t;
    j->exit_code = j->exit_signal = 0;
    j->next_step = 0;
    j->borrowed = false;
    j->time_limit_s = DURATION_NOT_SET;
    j->hold = held == REASON_NONE ? HOLD_NONE : HOLD_USER;
    j->reason = (uint8_t)held;
    job_reset_partition(j);
    if (j->kind == JOB_KIND_STEPS)
        job_begin_next_step(j);
    model_enqueue(m, j);
}

/* A requeue that a user asked for begins the count again; a preemption says nothing about the job. */
static uint32_t count_losses(struct job *j, bool lost)
{
    if (lost)
        job_rare_mut(j)->losses++;
    else if (j->kill_cause == KILL_REQUEUE && job_rare(j)->losses)
        job_rare_mut(j)->losses = 0;
    return job_rare(j)->losses;
}

void job_settle(struct model *m, struct job *j, struct wall t)
{
    if (j->state != JOB_COMPLETING || job_live_tasks(j))
        return;
    if (j->kind == JOB_KIND_STEPS && j->kill_cause != KILL_NONE && steps_ran_through(j)) {
        j->kill_cause = KILL_NONE;
        j->fate = FATE_END;
    }
    if (job_comes_back(m, j)) {
        bool asked = j->fate != FATE_END || is_restarted_at_limit(m, j);
        bool too_often = count_losses(j, !asked) >= LOSSES_MAX && !asked;
        enum reason held = j->fate == FATE_REQUEUE_HOLD ? REASON_HELD_USER : REASON_NONE;
        job_put_back(m, j, t, too_often ? REASON_HELD_REQUEUE : held);
        return;
    }
    struct outcome o = outcome_of(j);
    release(m, j, t);
    model_dequeue(m, j);
    j->state = (uint8_t)o.state;
    j->reason = (uint8_t)o.reason;
    j->t_end = last_end(j, t);
    j->t_settled = t;
    if (o.state == JOB_CANCELLED || o.state == JOB_TIMEOUT)
        j->exit_code = 0;
    model_enqueue(m, j);
}
