/* runs.c - the earlier runs of a job. */
#include "src/model/runs.h"

#include <stdlib.h>

#include "src/base/xalloc.h"
#include "src/model/model_private.h"

uint32_t runs_count(const struct job *j)
{
    return (uint32_t)job_rare(j)->runs.n + 1;
}

static void run_fill(struct run_record *ret, const struct past_run *r)
{
    struct job *out = &ret->job;
    out->state = (uint8_t)r->state;
    out->reason = (uint8_t)r->reason;
    out->hold = HOLD_NONE;
    out->holding = out->borrowed = false;
    out->fate = FATE_END;
    out->kill_cause = (uint8_t)r->kill_cause;
    out->exit_code = r->exit_code;
    out->exit_signal = r->exit_signal;
    out->partition = r->partition;
    out->t_eligible = r->t_eligible;
    out->t_start = r->t_start;
    out->t_end = r->t_end;
    out->t_settled = r->t_back;
    out->time_limit_s = r->time_limit_s;
    out->alloc.v = r->alloc.v;
    out->alloc.n = r->alloc.n;
    out->steps.v = r->steps.v;
    out->steps.n = r->steps.n;
    out->rare->kill_uid = r->kill_uid;
    out->rare->kill_user = r->kill_user;
    out->rare->t_kill = r->t_kill;
    out->rare->preempted_by = r->preempted_by;
    out->rare->preempt_text = r->preempt_text;
    out->rare->preempt_why = r->preempt_why;
    out->rare->derived_code = r->derived_code;
    out->rare->suspended_ms = r->suspended_ms;
}

const struct job *run_get(const struct job *j, uint32_t k, struct run_record *ret)
{
    const struct job_rare *rare = job_rare(j);
    const struct past_run *r = k < rare->runs.n ? &rare->runs.v[k] : NULL;
    *ret = (struct run_record){.job = *j, .rare = *rare};
    struct job *out = &ret->job;
    out->rare = &ret->rare;
    out->rare->runs.v = NULL;
    out->rare->runs.n = 0;
    list_init(&out->in_all);
    list_init(&out->in_queue);
    uint32_t later = (uint32_t)rare->runs.n - k;
    out->restarts = j->restarts > later ? j->restarts - later : 0;
    if (k > 0)
        out->t_submit = rare->runs.v[k - 1].t_back;
    if (r)
        run_fill(ret, r);
    return out;
}

const struct job *run_read(const struct past_run *r, uint32_t uid, char *user, struct run_record *ret)
{
    *ret = (struct run_record){.job = {.uid = uid, .user = user, .array_index = ARRAY_NONE}};
    ret->job.rare = &ret->rare;
    run_fill(ret, r);
    return &ret->job;
}

static const struct cause *refusal_in(const struct causes *why)
{
    return why->n && why->v[0].code == CAUSE_JOB_NODE_REFUSED ? &why->v[0] : NULL;
}

const struct cause *run_refusal(const struct job *run)
{
    const struct job_rare *rare = job_rare(run);
    const struct cause *c = refusal_in(&rare->preempt_why);
    for (size_t i = 0; !c && run->kill_cause == KILL_NODE_FAIL && i < rare->events.n; i++)
        if (rare->events.v[i].kind == EV_KILL && rare->events.v[i].t.ms == rare->t_kill.ms)
            c = refusal_in(&rare->events.v[i].why);
    return c;
}

void run_summary(const struct job *run, struct past_run *ret)
{
    const struct job_rare *rare = job_rare(run);
    *ret = (struct past_run){.state = run->state,
                             .reason = run->reason,
                             .kill_cause = run->kill_cause,
                             .kill_uid = rare->kill_uid,
                             .kill_user = xstrdup(rare->kill_user),
                             .t_kill = rare->t_kill,
                             .preempted_by = rare->preempted_by,
                             .exit_code = run->exit_code,
                             .exit_signal = run->exit_signal,
                             .t_start = run->t_start,
                             .t_end = run->t_end,
                             .time_limit_s = run->time_limit_s};
    if (run_refusal(run))
        causes_add_copy(&ret->preempt_why, run_refusal(run));
}

bool run_was_requeued(const struct job *run)
{
    return run->state == JOB_CANCELLED && run->kill_cause == KILL_REQUEUE;
}

/* --- keeping them --- */

static void forget_steps(struct past_run *r)
{
    rec_list_free(&step_rec, &r->steps);
}

static void forget_oldest(struct job_rare *rare)
{
    rec_fini(&past_run_rec, &rare->runs.v[0]);
    for (size_t i = 1; i < rare->runs.n; i++)
        rare->runs.v[i - 1] = rare->runs.v[i];
    rare->runs.n--;
}

static size_t count_tasks(const struct past_run *r)
{
    size_t n = r->steps.n;
    for (size_t i = 0; i < r->steps.n; i++)
        n += r->steps.v[i].tasks.n;
    return n;
}

static void keep_bounds(struct job_rare *rare)
{
    size_t n = 0;
    if (rare->runs.n > RUNS_MAX)
        forget_oldest(rare);
    for (size_t i = rare->runs.n; i-- > 0;) {
        n += count_tasks(&rare->runs.v[i]);
        if (n > RUN_TASKS_MAX)
            forget_steps(&rare->runs.v[i]);
    }
}

void run_keep(struct job *j, enum job_state state, enum reason reason, struct wall t_end,
              struct wall t_back)
{
    struct job_rare *rare = job_rare_mut(j);
    struct past_run *r = rec_list_push(&rare->runs);
    *r = (struct past_run){.state = state,
                           .reason = reason,
                           .kill_cause = j->kill_cause,
                           .kill_uid = rare->kill_uid,
                           .exit_code = j->exit_code,
                           .exit_signal = j->exit_signal,
                           .derived_code = rare->derived_code,
                           .partition = j->partition ? xstrdup(j->partition) : NULL,
                           .t_eligible = j->t_eligible,
                           .t_start = j->t_start,
                           .t_end = t_end,
                           .t_back = t_back,
                           .time_limit_s = j->time_limit_s,
                           .suspended_ms = rare->suspended_ms,
                           .t_kill = rare->t_kill};
    if (rare->kill_user)
        r->kill_user = xstrdup(rare->kill_user);
    if (j->kill_cause == KILL_PREEMPT) {
        r->preempted_by = rare->preempted_by;
        r->preempt_text = rare->preempt_text ? xstrdup(rare->preempt_text) : NULL;
        causes_copy(&r->preempt_why, &rare->preempt_why);
    }
    for (size_t i = 0; i < j->alloc.n; i++)
        rec_copy(&alloc_rec, rec_list_push(&r->alloc), &j->alloc.v[i]);
    for (size_t i = 0; i < j->steps.n; i++)
        rec_copy(&step_rec, rec_list_push(&r->steps), &j->steps.v[i]);
    keep_bounds(rare);
}
