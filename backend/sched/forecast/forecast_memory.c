/* forecast_memory.c - samples and scores of forecasts as they are kept over restarts. */
#include "backend/sched/forecast/forecast_internal.h"

REC_DEFINE(forecast_memory, FORECAST_MEMORY_FIELDS)

static void memory_add_start(void *ctx, const struct learnt_start *s)
{
    struct forecast_memory *m = ctx;
    *rec_list_push(&m->starts) = *s;
}

static void memory_add_run(void *ctx, const struct learnt_run *run)
{
    struct forecast_memory *m = ctx;
    *rec_list_push(&m->runs) = *run;
}

void forecaster_save(const struct forecaster *p, struct forecast_memory *ret)
{
    *ret = (struct forecast_memory){.starts = {0}};
    forecast_scores_save(p->scores, &ret->scores);
    forecast_ranges_each(p->ranges, memory_add_start, ret);
    run_times_each(p->runs, memory_add_run, ret);
}

void forecaster_restore(struct forecaster *p, const struct forecast_memory *m)
{
    forecast_scores_restore(p->scores, &m->scores);
    for (size_t i = 0; i < m->starts.n; i++)
        forecast_ranges_restore(p->ranges, &m->starts.v[i]);
    for (size_t i = 0; i < m->runs.n; i++)
        run_times_learn(p->runs, &m->runs.v[i]);
}
