#include "backend/sched/forecast/run_times.h"

#include <stdlib.h>

#include "backend/sched/forecast/forecast_range.h"
#include "backend/sched/forecast/recent_keys.h"
#include "src/base/time.h"
#include "src/base/xalloc.h"
#include "src/values/units.h"

REC_DEFINE(learnt_run, LEARNT_RUN_FIELDS)

#define MARGIN   1.25
#define MARGIN_S 60.0
#define RUN_MAX  1e9 /* seconds */

struct runs_of {
    struct recent_key recent;
    uint32_t n; /* all runs; the last RUN_TIMES_KEPT are kept */
    double run_s[RUN_TIMES_KEPT];
};

struct run_times {
    struct recent_keys keys; /* struct runs_of */
};

struct run_times *run_times_new(void)
{
    struct run_times *r = xcalloc(1, sizeof *r);
    recent_keys_init(&r->keys);
    return r;
}

void run_times_free(struct run_times *r)
{
    if (!r)
        return;
    recent_keys_fini(&r->keys);
    free(r);
}

void run_times_learn(struct run_times *r, const struct learnt_run *run)
{
    if (!run->key || !(run->run_s >= 0 && run->run_s <= RUN_MAX))
        return;
    struct runs_of *of = recent_keys_use(&r->keys, run->key, sizeof *of, RUN_TIMES_KEYS);
    of->run_s[of->n++ % RUN_TIMES_KEPT] = run->run_s;
}

/* A run that was cancelled or lost says only that the job needs more. */
static bool run_counts(const struct job *j)
{
    switch ((enum job_state)j->state) {
    case JOB_COMPLETED:
    case JOB_FAILED:
    case JOB_TIMEOUT:
    case JOB_OUT_OF_MEMORY: return j->kind != JOB_KIND_STEPS && wall_is_set(j->t_start);
    case JOB_PENDING:
    case JOB_RUNNING:
    case JOB_SUSPENDED:
    case JOB_COMPLETING:
    case JOB_CANCELLED:
    case JOB_NODE_FAIL:
    case JOB_PREEMPTED:
    case JOB_DEADLINE:
    case JOB_N_STATES: break;
    }
    return false;
}

void run_times_learn_job(struct run_times *r, const struct job *j)
{
    if (!run_counts(j))
        return;
    double run_s = (double)(j->t_end.ms - j->t_start.ms) / MS_PER_S;
    run_times_learn(r, &(struct learnt_run){.key = forecast_range_key(j), .run_s = run_s});
}

static uint32_t runs_kept(const struct runs_of *of)
{
    return of->n < RUN_TIMES_KEPT ? of->n : RUN_TIMES_KEPT;
}

/* back: 0 is the last one. */
static double runs_at(const struct runs_of *of, uint32_t back)
{
    return of->run_s[(of->n - 1 - back) % RUN_TIMES_KEPT];
}

bool run_times_predict(const struct run_times *r, uint64_t key, struct run_time *ret)
{
    const struct runs_of *of = recent_keys_get(&r->keys, key);
    double most_s = 0;
    if (!of || of->n < RUN_TIMES_LEAST)
        return false;
    for (uint32_t i = 0; i < runs_kept(of); i++)
        most_s = runs_at(of, i) > most_s ? runs_at(of, i) : most_s;
    ret->mean_ms = (int64_t)((runs_at(of, 0) + runs_at(of, 1)) / 2 * MS_PER_S);
    ret->most_ms = (int64_t)((most_s * MARGIN + MARGIN_S) * MS_PER_S);
    return true;
}

void run_times_each(const struct run_times *r, void (*fn)(void *ctx, const struct learnt_run *run),
                    void *ctx)
{
    list_for_each (of, &r->keys.by_age, struct runs_of, recent.by_age)
        for (uint32_t i = runs_kept(of); i-- > 0;)
            fn(ctx, &(struct learnt_run){.key = of->recent.key, .run_s = runs_at(of, i)});
}
