/* runs.c - the earlier runs of a job. */
#include "src/model/runs.h"

#include <stdlib.h>

#include "src/base/xalloc.h"
#include "src/model/model_private.h"

uint32_t runs_count(const struct job *j)
{
    return (uint32_t)j->runs.n + 1;
}

struct job run_get(const struct job *j, uint32_t k)
{
    struct job out = *j;
    out.runs.v = NULL;
    out.runs.n = 0;
    list_init(&out.in_all);
    list_init(&out.in_queue);
    uint32_t later = (uint32_t)j->runs.n - k;
    out.restarts = j->restarts > later ? j->restarts - later : 0;
    if (k > 0)
        out.t_submit = j->runs.v[k - 1].t_back;
    if (k >= j->runs.n)
        return out;
    const struct past_run *r = &j->runs.v[k];
    out.state = r->state;
    out.reason = r->reason;
    out.reason_detail = NULL;
    out.hold = HOLD_NONE;
    out.holding = out.borrowed = false;
    out.fate = FATE_END;
    out.kill_cause = r->kill_cause;
    out.kill_uid = r->kill_uid;
    out.exit_code = r->exit_code;
    out.exit_signal = r->exit_signal;
    out.derived_code = r->derived_code;
    out.partition = r->partition;
    out.t_eligible = r->t_eligible;
    out.t_start = r->t_start;
    out.t_end = r->t_end;
    out.t_settled = r->t_back;
    out.time_limit_s = r->time_limit_s;
    out.suspended_ms = r->suspended_ms;
    out.alloc.v = r->alloc.v;
    out.alloc.n = r->alloc.n;
    out.steps.v = r->steps.v;
    out.steps.n = r->steps.n;
    return out;
}

bool run_was_requeued(const struct job *run)
{
    return run->state == JOB_CANCELLED && run->kill_cause == KILL_REQUEUE;
}

/* --- keeping them --- */

static void forget_steps(struct past_run *r)
{
    for (size_t i = 0; i < r->steps.n; i++)
        rec_fini(&step_rec, &r->steps.v[i]);
    free(r->steps.v);
    r->steps.v = NULL;
    r->steps.n = 0;
}

static void forget_oldest(struct job *j)
{
    rec_fini(&past_run_rec, &j->runs.v[0]);
    for (size_t i = 1; i < j->runs.n; i++)
        j->runs.v[i - 1] = j->runs.v[i];
    j->runs.n--;
}

static size_t count_tasks(const struct past_run *r)
{
    size_t n = r->steps.n;
    for (size_t i = 0; i < r->steps.n; i++)
        n += r->steps.v[i].tasks.n;
    return n;
}

static void keep_bounds(struct job *j)
{
    size_t n = 0;
    if (j->runs.n > RUNS_MAX)
        forget_oldest(j);
    for (size_t i = j->runs.n; i-- > 0;) {
        n += count_tasks(&j->runs.v[i]);
        if (n > RUN_TASKS_MAX)
            forget_steps(&j->runs.v[i]);
    }
}

void run_keep(struct job *j, enum job_state state, enum reason reason, struct wall t_end,
              struct wall t_back)
{
    struct past_run *r = rec_list_push(&j->runs);
    *r = (struct past_run){.state = state,
                           .reason = reason,
                           .kill_cause = j->kill_cause,
                           .kill_uid = j->kill_uid,
                           .exit_code = j->exit_code,
                           .exit_signal = j->exit_signal,
                           .derived_code = j->derived_code,
                           .partition = j->partition ? xstrdup(j->partition) : NULL,
                           .t_eligible = j->t_eligible,
                           .t_start = j->t_start,
                           .t_end = t_end,
                           .t_back = t_back,
                           .time_limit_s = j->time_limit_s,
                           .suspended_ms = j->suspended_ms};
    for (size_t i = 0; i < j->alloc.n; i++)
        rec_copy(&alloc_rec, rec_list_push(&r->alloc), &j->alloc.v[i]);
    for (size_t i = 0; i < j->steps.n; i++)
        rec_copy(&step_rec, rec_list_push(&r->steps), &j->steps.v[i]);
    keep_bounds(j);
}
