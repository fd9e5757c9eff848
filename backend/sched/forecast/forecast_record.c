/* forecast_record.c - what each waiting job is told about its start, and the range that is learnt from
 * starts. */
#include <stdlib.h>

#include "backend/sched/forecast/forecast_internal.h"

void forecaster_init(struct forecaster *p, struct queue *q)
{
    *p = (struct forecaster){.queue = q, .scores = forecast_scores_new()};
}

void forecaster_fini(struct forecaster *p)
{
    forecast_forget(p);
    forecast_scores_free(p->scores);
    p->scores = NULL;
}

void forecaster_inherit(struct forecaster *p, struct forecaster *from)
{
    struct forecast_scores *scores = p->scores;
    p->scores = from->scores;
    from->scores = scores;
    memcpy(p->records, from->records, sizeof p->records);
}

void forecast_note_first(struct forecaster *p, struct pending_entry *u)
{
    if (u->forecast.first_is_void)
        forecast_scores_gone(p->scores, u->job);
    u->forecast.first_is_void = false;
    if (forecast_scores_told(p->scores, u->job))
        return;
    struct forecast f = forecast_of(p, u->job);
    struct forecast_told t = {.made = f.made, .start = f.start, .likely = f.likely, .unlikely = f.unlikely};
    forecast_scores_tell(p->scores, u->job, &t);
}

/* What was told to a job that something else keeps back now says nothing about its turn. */
static bool record_keeps(void *ctx, uint32_t job)
{
    const struct forecaster *p = ctx;
    const struct pending_entry *u = idmap_get(&p->queue->entries.by_job, job);
    return u && u->class;
}

void forecast_sweep_told(struct forecaster *p)
{
    forecast_scores_keep(p->scores, record_keeps, p);
}

void forecast_note(struct forecaster *p, const struct forecasts *f, uint32_t job, int64_t start)
{
    struct pending_entry *u = idmap_get(&p->queue->entries.by_job, job);
    if (!u)
        return;
    u->forecast.made = f->t.ms;
    u->forecast.start = start < f->window_end ? start : WHEN_NEVER;
    if (u->forecast.start != WHEN_NEVER &&
        u->class) /* nothing can be learnt from the time before it is eligible */
        forecast_note_first(p, u);
}

void forecast_record_add(struct forecast_record *r, double ratio)
{
    r->ratios[r->n++ % FORECAST_SAMPLES] = (float)(ratio < RATIO_MAX ? ratio : RATIO_MAX);
}

static size_t record_horizon_of(int64_t wait_ms)
{
    return score_horizon_of((double)wait_ms / MS_PER_S);
}

void forecast_learn(struct forecaster *p, const struct pending_entry *u)
{
    const struct forecast_told *first = forecast_scores_told(p->scores, u->job);
    int64_t told = first ? first->start.ms - first->made.ms : 0,
            took = first ? p->queue->now.ms - first->made.ms : 0;
    forecast_scores_started(p->scores, u->job, p->queue->now); /* frees what was told */
    if (told < 1000)
        return;
    forecast_record_add(&p->records[record_horizon_of(told)], (double)took / (double)told);
}

static uint32_t record_samples_of(const struct forecast_record *r)
{
    return r->n < FORECAST_SAMPLES ? r->n : FORECAST_SAMPLES;
}

static int record_by_value(const void *pa, const void *pb)
{
    const float *a = pa, *b = pb;
    return *a < *b ? -1 : *a > *b;
}

static void forecast_add_range(const struct forecaster *p, struct forecast *f)
{
    int64_t wait_ms = f->start.ms - f->made.ms;
    const struct forecast_record *r = &p->records[record_horizon_of(wait_ms)];
    uint32_t n = record_samples_of(r);
    float sorted[FORECAST_SAMPLES];
    f->samples = n;
    if (n < 8)
        return;
    memcpy(sorted, r->ratios, n * sizeof *sorted);
    qsort(sorted, n, sizeof *sorted, record_by_value);
    double wait = (double)wait_ms;
    f->likely.ms = f->made.ms + (int64_t)(wait * (double)sorted[n / 4]);
    f->unlikely.ms = f->made.ms + (int64_t)(wait * (double)sorted[n * 3 / 4]);
}

struct wall forecast_made(const struct forecaster *p)
{
    return p->made ? p->made->t : (struct wall){0};
}

uint32_t forecast_samples(const struct forecaster *p)
{
    uint32_t n = 0;
    for (size_t h = 0; h < FORECAST_HORIZONS; h++)
        n += record_samples_of(&p->records[h]);
    return n;
}

/* Of an entry that waits for a time, which may have changed since. */
static struct forecast record_forecast_later(const struct pending_entry *u)
{
    struct forecast f = {.kind = FORECAST_NONE, .made.ms = u->forecast.made};
    if (!heap_has(&u->by_wake) || !u->forecast.made)
        return (struct forecast){.kind = FORECAST_NONE};
    f.kind = u->forecast.start == WHEN_NEVER ? FORECAST_BEYOND : FORECAST_LATER;
    if (f.kind == FORECAST_LATER)
        f.start.ms = u->forecast.start > u->by_wake.key ? u->forecast.start : u->by_wake.key;
    return f;
}

struct forecast forecast_of(const struct forecaster *p, uint32_t job)
{
    const struct pending_entry *u = idmap_get(&p->queue->entries.by_job, job);
    struct forecast f = {.kind = FORECAST_NONE};
    if (!u)
        return f;
    if (!u->class)
        return record_forecast_later(u);
    if (u->slot.use.parts) {
        f = (struct forecast){
            .kind = FORECAST_SLOT, .start.ms = u->slot.use.start, .made.ms = p->queue->last_now};
    } else if (u->forecast.made) {
        f = (struct forecast){.kind = u->forecast.start == WHEN_NEVER ? FORECAST_BEYOND : FORECAST_PLANNED,
                              .start.ms = u->forecast.start == WHEN_NEVER ? 0 : u->forecast.start,
                              .made.ms = u->forecast.made};
    }
    if (f.kind == FORECAST_SLOT || f.kind == FORECAST_PLANNED)
        forecast_add_range(p, &f);
    return f;
}

struct forecast forecast_try(struct forecaster *p, const struct job_class *g, const char *licences,
                             int64_t from, uint32_t *ret_choice)
{
    struct forecasts *f = p->made;
    struct forecast_start found = {0};
    if (!f)
        return (struct forecast){.kind = FORECAST_NONE};
    forecast_find(f, g, ALL_TIERS, licences, from, &found);
    bool within = found.t < f->window_end;
    struct forecast ret = {.kind = within ? FORECAST_PLANNED : FORECAST_BEYOND,
                           .start.ms = within ? found.t : 0,
                           .made = f->t};
    *ret_choice = found.choice;
    if (within)
        forecast_add_range(p, &ret);
    vec_fini(&found.parts);
    return ret;
}
