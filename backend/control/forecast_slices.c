/* forecast_slices.c - the whole queue is forecast beside the other work: in slices that hold up nobody, and
 * the plan is shown to who asks. */
#include "backend/sched/explain/explain.h"

#include "backend/control/private.h"
#include "src/answers/answer_plan.h"

#define SLICE_MS    4     /* of a turn */
#define SLICE_UNITS 25    /* between two looks at the clock */
#define SOON_MS     20    /* after a pass, where forecasts are cheap */
#define REST_TIMES  10    /* else: that many times what the last one cost, */
#define REST_MS_MAX 10000 /* but no more */
#define STALE_MS    30000 /* after that long once more although nothing happened */
#define ROWS_MAX    2000u
#define NAMES_MAX   100u /* each job is compared with all of them */

static int64_t ms_since(struct mono t)
{
    return (mono_read().ns - t.ns) / 1000000;
}

void ctl_forecast(void *ctx)
{
    struct control *c = ctx;
    struct sched_view v = ctl_view(c);
    struct mono t0 = mono_read();
    bool done = false;
    bool running = forecast_is_running(
        planner_forecaster(c->planner)); /* what was begun is ended: nobody begins another one */
    if (!running && !c->model.n_pending && !c->model.n_active)
        return;
    if (planner_is_reading(c->planner) || planner_is_deciding(c->planner)) { /* none to forecast from yet */
        loop_timer_set(c->loop, &c->forecast, SOON_MS);
        return;
    }
    if (!running) {
        forecast_begin(planner_forecaster(c->planner), &v, loop_wall(c->loop));
        c->forecast_cost_ms = 0;
    }
    while (!done && ms_since(t0) < SLICE_MS)
        done = forecast_step(planner_forecaster(c->planner), &v, SLICE_UNITS);
    c->forecast_cost_ms += ms_since(t0);
    loop_timer_set(c->loop, &c->forecast, done ? STALE_MS : 1);
}

void ctl_want_forecast(struct control *c)
{
    int64_t rest = c->forecast_cost_ms * REST_TIMES;
    if (forecast_is_running(planner_forecaster(c->planner)))
        return;
    loop_timer_set(c->loop, &c->forecast,
                   rest < SOON_MS       ? SOON_MS
                   : rest < REST_MS_MAX ? rest
                                        : REST_MS_MAX);
}

void req_plan(struct session *s, uint64_t tag, struct msg_plan_get *m)
{
    struct control *c = s->ctl;
    struct sched_view v = ctl_view(c);
    if (m->users.n + m->partitions.n > NAMES_MAX) {
        session_reply(s, tag, REFUSAL_TOO_BIG, 0, 0, "more than %u names asked for", NAMES_MAX);
        return;
    }
    struct plan_filter filter = {.users = m->users,
                                 .partitions = m->partitions,
                                 .waiting = m->waiting,
                                 .rows_max =
                                     m->rows_max && m->rows_max < ROWS_MAX ? m->rows_max : ROWS_MAX};
    struct msg_plan plan;
    planner_report(c->planner, &v, loop_wall(c->loop), &filter, &plan);
    session_send(s, MSG_PLAN_DATA, tag, &plan);
    rec_fini(&msg_plan_rec, &plan);
}
