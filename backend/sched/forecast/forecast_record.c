/* forecast_record.c - what each waiting job is told about its start, and the range that is learnt from
 * starts. */
#include <stdlib.h>

#include "backend/sched/forecast/forecast_internal.h"

void forecaster_init(struct forecaster *p, struct queue *q)
{
    *p = (struct forecaster){.queue = q,
                             .scores = forecast_scores_new(),
                             .ranges = forecast_ranges_new(),
                             .runs = run_times_new()};
}

void forecaster_fini(struct forecaster *p)
{
    forecast_forget(p);
    forecast_scores_free(p->scores);
    forecast_ranges_free(p->ranges);
    run_times_free(p->runs);
    p->runs = NULL;
    p->scores = NULL;
    p->ranges = NULL;
}

void forecaster_inherit(struct forecaster *p, struct forecaster *from)
{
    struct forecast_scores *scores = p->scores;
    p->scores = from->scores;
    from->scores = scores;
    struct forecast_ranges *ranges = p->ranges;
    p->ranges = from->ranges;
    from->ranges = ranges;
    struct run_times *runs = p->runs;
    p->runs = from->runs;
    from->runs = runs;
}

uint64_t forecast_key_of(const struct forecaster *p, struct pending_entry *u)
{
    const struct job *j = u->forecast.range_key ? NULL : model_get_job(p->queue->view->model, u->job);
    if (j)
        u->forecast.range_key = forecast_range_key(j);
    return u->forecast.range_key;
}

void forecast_note_first(struct forecaster *p, struct pending_entry *u)
{
    uint64_t key = forecast_key_of(p, u);
    if (u->forecast.first_is_void)
        forecast_scores_gone(p->scores, u->job);
    u->forecast.first_is_void = false;
    if (forecast_scores_told(p->scores, u->job))
        return;
    struct forecast f = forecast_of(p, u->job);
    struct forecast_told t = {.made = f.made,
                              .start = f.start,
                              .likely = f.likely,
                              .unlikely = f.unlikely,
                              .range_key = key,
                              .waiting = (uint32_t)p->queue->entries.by_job.n};
    forecast_scores_tell(p->scores, u->job, &t);
}

/* If something other than its turn keeps a job back now, the start that it was told no longer counts. */
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
    u->forecast.last_end = 0;
    if (u->forecast.start != WHEN_NEVER &&
        u->class) /* nothing can be learnt from the time before it is eligible */
        forecast_note_first(p, u);
}

void forecast_note_last(struct forecaster *p, const struct forecasts *f, uint32_t job, int64_t end)
{
    struct pending_entry *u = idmap_get(&p->queue->entries.by_job, job);
    if (u && u->forecast.made == f->t.ms)
        u->forecast.last_end = end;
}

/* The queue as it is. */
static struct range_ask record_ask(const struct forecaster *p, uint64_t key, int64_t told_ms)
{
    return (struct range_ask){
        .key = key, .told_s = (double)told_ms / MS_PER_S, .waiting = (uint32_t)p->queue->entries.by_job.n};
}

void forecast_learn(struct forecaster *p, const struct pending_entry *u)
{
    const struct forecast_told *first = forecast_scores_told(p->scores, u->job);
    if (first && first->start.ms - first->made.ms >= MS_PER_S) {
        struct range_ask a = {.key = first->range_key,
                              .told_s = (double)(first->start.ms - first->made.ms) / MS_PER_S,
                              .waiting = first->waiting};
        double came_s = (double)(p->queue->now.ms - first->made.ms) / MS_PER_S;
        forecast_ranges_learn(p->ranges, &a, first->made, came_s);
    }
    forecast_scores_started(p->scores, u->job, p->queue->now);
}

static void forecast_add_range(const struct forecaster *p, uint64_t key, struct forecast *f)
{
    struct range_ask a = record_ask(p, key, f->start.ms - f->made.ms);
    bool has;
    double low_s, high_s;
    f->samples = forecast_ranges_find(p->ranges, &a, &has, &low_s, &high_s);
    if (!has)
        return;
    f->likely.ms = f->made.ms + (int64_t)(low_s * MS_PER_S);
    f->unlikely.ms = f->made.ms + (int64_t)(high_s * MS_PER_S);
}

struct wall forecast_made(const struct forecaster *p)
{
    return p->made ? p->made->t : (struct wall){0};
}

uint32_t forecast_samples(const struct forecaster *p)
{
    return forecast_ranges_samples(p->ranges);
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
            .kind = FORECAST_SLOT, .start.ms = plan_slot_told(&u->slot), .made.ms = p->queue->last_now};
    } else if (u->forecast.made) {
        f = (struct forecast){.kind = u->forecast.start == WHEN_NEVER ? FORECAST_BEYOND : FORECAST_PLANNED,
                              .start.ms = u->forecast.start == WHEN_NEVER ? 0 : u->forecast.start,
                              .made.ms = u->forecast.made};
    }
    if (f.kind == FORECAST_SLOT || f.kind == FORECAST_PLANNED) {
        f.last_end.ms = u->count > 1 ? u->forecast.last_end : 0;
        forecast_add_range(p, u->forecast.range_key, &f);
    }
    return f;
}

struct forecast forecast_try(struct forecaster *p, const struct job_class *g, const struct job *j,
                             int64_t from, uint32_t *ret_choice)
{
    struct forecasts *f = p->made;
    struct forecast_start found = {0};
    if (!f)
        return (struct forecast){.kind = FORECAST_NONE};
    forecast_find(f, g, ALL_TIERS, req_detail(&j->req)->licenses, from, &found);
    bool within = found.t < f->window_end;
    struct forecast ret = {.kind = within ? FORECAST_PLANNED : FORECAST_BEYOND,
                           .start.ms = within ? found.t : 0,
                           .made = f->t};
    *ret_choice = found.choice;
    if (within)
        forecast_add_range(p, forecast_range_key(j), &ret);
    vec_fini(&found.parts);
    return ret;
}
