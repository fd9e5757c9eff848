/* forecast_memory.c - what forecasts have learnt, as it is kept over restarts. */
#include "backend/sched/forecast/forecast_internal.h"

REC_DEFINE(learnt_ratio, LEARNT_RATIO_FIELDS)
REC_DEFINE(forecast_memory, FORECAST_MEMORY_FIELDS)

void forecaster_save(const struct forecaster *p, struct forecast_memory *ret)
{
    *ret = (struct forecast_memory){.ratios = {0}};
    forecast_scores_save(p->scores, &ret->scores);
    for (uint32_t h = 0; h < FORECAST_HORIZONS; h++) {
        const struct forecast_record *r = &p->records[h];
        uint32_t first = r->n > FORECAST_SAMPLES ? r->n - FORECAST_SAMPLES : 0;
        for (uint32_t i = first; i < r->n; i++)
            *rec_list_push(&ret->ratios) =
                (struct learnt_ratio){.horizon = h, .ratio = (double)r->ratios[i % FORECAST_SAMPLES]};
    }
}

void forecaster_restore(struct forecaster *p, const struct forecast_memory *m)
{
    forecast_scores_restore(p->scores, &m->scores);
    for (size_t i = 0; i < m->ratios.n; i++) {
        const struct learnt_ratio *x = &m->ratios.v[i];
        if (x->horizon < FORECAST_HORIZONS && x->ratio >= 0 && x->ratio <= RATIO_MAX)
            forecast_record_add(&p->records[x->horizon], x->ratio);
    }
}
