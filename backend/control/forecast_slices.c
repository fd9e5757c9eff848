#include "backend/control/forecast_slices.h"

#include <stdlib.h>

#include "backend/control/policy_view.h"
#include "backend/sched/explain/explain.h"

#define SLICE_MS    4     /* of a loop iteration */
#define SLICE_UNITS 25    /* of work between two readings of the clock */
#define SOON_MS     20    /* after a cycle, where forecasts are cheap */
#define REST_TIMES  10    /* else: this many times the cost of the last one, */
#define REST_MS_MAX 10000 /* but no more */
#define STALE_MS    30000 /* then again although nothing happened */

#define HURRY_MAX 1500 /* jobs and nodes of which a client waits for a forecast: some milliseconds */

#define ORDER_MS    2   /* of a loop iteration */
#define ORDER_UNITS 500 /* of work between two readings of the clock */

struct forecast_slices {
    struct loop_timer forecast;
    struct loop_timer order;
    int64_t cost_ms; /* of the last forecast */
    bool outdated;   /* something has changed since it was begun */
};

static int64_t forecast_slices_ms_since(struct mono t)
{
    return (mono_read().ns - t.ns) / 1000000;
}

/* From the change that a forecast does not know to the next forecast. */
static int64_t forecast_slices_rest_ms(const struct forecast_slices *f)
{
    int64_t rest = f->cost_ms * REST_TIMES;
    return rest < SOON_MS ? SOON_MS : rest < REST_MS_MAX ? rest : REST_MS_MAX;
}

/* Nothing to forecast from yet. */
static bool forecast_slices_is_early(const struct control *c)
{
    return planner_is_reading(c->planner) || planner_is_in_cycle(c->planner);
}

/* Goes on with the forecast under way, or begins one, for at most ms. Returns whether it is finished. */
static bool forecast_slices_some(struct control *c, int64_t ms)
{
    struct forecast_slices *f = c->state[MODULE_FORECAST];
    struct sched_view v = policy_view(c);
    struct mono t0 = mono_read();
    bool done = false;
    if (!forecast_is_running(planner_forecaster(c->planner))) {
        forecast_begin(planner_forecaster(c->planner), &v, loop_wall(c->loop));
        f->cost_ms = 0;
        f->outdated = false;
    }
    while (!done && forecast_slices_ms_since(t0) < ms)
        done = forecast_step(planner_forecaster(c->planner), &v, SLICE_UNITS);
    f->cost_ms += forecast_slices_ms_since(t0);
    loop_timer_set(c->loop, &f->forecast, !done ? 1 : f->outdated ? forecast_slices_rest_ms(f) : STALE_MS);
    return done;
}

static void forecast_slices_forecast(void *ctx)
{
    struct control *c = ctx;
    struct forecast_slices *f = c->state[MODULE_FORECAST];
    if (!forecast_is_running(planner_forecaster(c->planner)) && !c->model.n_pending && !c->model.n_active)
        return;
    if (forecast_slices_is_early(c))
        loop_timer_set(c->loop, &f->forecast, SOON_MS);
    else
        forecast_slices_some(c, SLICE_MS);
}

void forecast_slices_want(struct control *c)
{
    struct forecast_slices *f = c->state[MODULE_FORECAST];
    f->outdated = true;
    if (!forecast_is_running(planner_forecaster(c->planner))) /* that one is finished first */
        loop_timer_set(c->loop, &f->forecast, forecast_slices_rest_ms(f));
}

void forecast_slices_hurry(struct control *c)
{
    struct forecast_slices *f = c->state[MODULE_FORECAST];
    const struct model *m = &c->model;
    bool running = forecast_is_running(planner_forecaster(c->planner));
    if ((!f->outdated && !running) || forecast_slices_is_early(c) || (!m->n_pending && !m->n_active))
        return;
    if (m->n_pending + m->n_active + m->n_nodes > HURRY_MAX) {
        loop_timer_set(c->loop, &f->forecast, 0);
        return;
    }
    while (running || f->outdated) /* one that is under way is finished first */
        running = !forecast_slices_some(c, SLICE_MS);
}

static void forecast_slices_on_order(void *ctx)
{
    struct control *c = ctx;
    struct forecast_slices *f = c->state[MODULE_FORECAST];
    struct sched_view v = policy_view(c);
    struct mono until = mono_add_ms(mono_read(), ORDER_MS);
    bool done = false;
    while (!done && mono_read().ns < until.ns)
        done = queue_order_step(c->planner, &v, loop_wall(c->loop), ORDER_UNITS);
    if (!done)
        loop_timer_set(c->loop, &f->order, 1);
}

void forecast_slices_order(struct control *c)
{
    struct forecast_slices *f = c->state[MODULE_FORECAST];
    loop_timer_set(c->loop, &f->order, 0);
}

static void forecast_slices_start(struct control *c)
{
    struct forecast_slices *f = c->state[MODULE_FORECAST] = xcalloc(1, sizeof *f);
    f->forecast = (struct loop_timer){.fn = forecast_slices_forecast, .ctx = c};
    f->order = (struct loop_timer){.fn = forecast_slices_on_order, .ctx = c};
}

static void forecast_slices_stop(struct control *c)
{
    struct forecast_slices *f = c->state[MODULE_FORECAST];
    loop_timer_cancel(c->loop, &f->forecast);
    loop_timer_cancel(c->loop, &f->order);
    free(f);
}

const struct module_ops forecast_slices_module = {.start = forecast_slices_start,
                                                  .stop = forecast_slices_stop};
