#include "backend/control/schedule.h"

#include <stdlib.h>

#include "backend/control/clients/followers.h"
#include "backend/control/emit.h"
#include "backend/control/forecast_slices.h"
#include "backend/control/policy_view.h"
#include "backend/control/users/user_cache.h"
#include "src/os/log.h"
#include "src/text/cause_text.h"
#include "src/text/eventtext.h"

#define PREPARE_UNITS 2000    /* of work between two readings of the clock */
#define CYCLE_LOOKS   30000   /* the same */
#define SLICE_NS      4000000 /* of a loop iteration, for planning */

#define WAKE_MAX_MS 3600000 /* the clock may be set meanwhile */

struct schedule {
    struct loop_timer wake;
    VEC(uint32_t) news;  /* jobs whose reason followers are told after the next cycle */
    uint64_t cycle_us;   /* that the slices of the cycle under way have taken */
    bool groups_changed; /* of users, since the policy has read them */
};

static struct schedule *schedule_of(const struct control *c)
{
    return c->state[MODULE_SCHEDULE];
}

static void schedule_on_wake(void *ctx)
{
    struct control *c = ctx;
    c->sched_dirty = true;
}

static void schedule_start(struct control *c)
{
    struct schedule *s = c->state[MODULE_SCHEDULE] = xcalloc(1, sizeof *s);
    s->wake = (struct loop_timer){.fn = schedule_on_wake, .ctx = c};
    c->planner = planner_new();
}

static void schedule_stop(struct control *c)
{
    struct schedule *s = schedule_of(c);
    loop_timer_cancel(c->loop, &s->wake);
    planner_free(c->planner);
    vec_fini(&s->news);
    free(s);
}

/* Another state: of the old one only the samples of forecasts stay. */
static void schedule_forget(struct control *c)
{
    struct planner *old = c->planner;
    c->planner = planner_new();
    forecaster_inherit(planner_forecaster(c->planner), planner_forecaster(old));
    planner_free(old);
}

static void schedule_before(struct control *c, struct emission *e)
{
    struct sched_view v = policy_view(c);
    if (e->ev->kind == EV_CONFIG)
        planner_leave_config(c->planner, &v);
}

static void schedule_reset(struct control *c)
{
    schedule_forget(c);
    vec_clear(&schedule_of(c)->news);
}

/* Every event but a hold or a note may let a job start. j: the job after the
 * event, or NULL. A cycle walks past every job that is held: a thousand of them submitted must not cost a
 * thousand walks. */
static bool schedule_may_change(enum event_kind kind, const struct job *j)
{
    switch (kind) {
    case EV_SUBMIT: return !j || j->hold == HOLD_NONE;
    case EV_EPOCH:
    case EV_STEP:
    case EV_RUNNING:
    case EV_SIGNAL:
    case EV_PREEMPT:
    case EV_USAGE:
    case EV_NOTE:
    case EV_RETIRE:
    case EV_START:
    case EV_PLACE:
    case EV_SPLIT: return false;
    case EV_CONFIG:
    case EV_NODE:
    case EV_DRAIN:
    case EV_END:
    case EV_KILL:
    case EV_HOLD:
    case EV_REQUEUE:
    case EV_UPDATE:
    case EV_COMPLETE:
    case EV_ELIGIBLE:
    case EV_WINDOW:
    case EV_SUSPEND:
    case EV_AVOID:
    case EV_UNKNOWN:
    case EV_UNPLACE:
    case EV_JOB_ROW:
    case EV_JOB_GONE:
    case EV_NODE_ROW:
    case EV_N_KINDS: break;
    }
    return true;
}

/* What the planner has to read again beside the jobs that are touched. */
static void schedule_after(struct control *c, const struct emission *e)
{
    enum event_kind kind = e->ev->kind;
    if (e->ev->job && kind != EV_RETIRE)
        ctl_touch(c, e->ev->job);
    if (kind == EV_NODE || kind == EV_DRAIN || kind == EV_AVOID || kind == EV_UNKNOWN)
        planner_note_nodes(c->planner);
    else if (kind == EV_WINDOW)
        planner_note_windows(c->planner);
    else if (kind == EV_RETIRE)
        planner_note_job(c->planner, e->ev->job);
    if (e->job && job_state_is_final(e->job->state) && !job_state_is_final(e->state_before))
        planner_note_end(c->planner, e->job);
    c->sched_dirty = c->sched_dirty || schedule_may_change(kind, e->job);
}

/* Groups may open partitions. All pending jobs are looked at once, not for each of many users. */
static void schedule_names_told(struct control *c, const struct name_answer *a, bool groups_changed)
{
    (void)a;
    struct schedule *s = schedule_of(c);
    s->groups_changed = s->groups_changed || groups_changed;
    if (!s->groups_changed || user_cache_is_asking(c->users))
        return;
    s->groups_changed = false;
    planner_note_all(c->planner);
    c->sched_dirty = true;
}

const struct module_ops schedule_module = {.start = schedule_start,
                                           .stop = schedule_stop,
                                           .before = schedule_before,
                                           .after = schedule_after,
                                           .names_told = schedule_names_told,
                                           .reset = schedule_reset};

void schedule_wake(struct control *c, int64_t ms)
{
    loop_timer_set(c->loop, &schedule_of(c)->wake, ms);
}

void schedule_note_reason(struct control *c, uint32_t job)
{
    vec_push(&schedule_of(c)->news, job);
}

static void schedule_add_reason(struct control *c, struct msg_reasons *rows, uint32_t id)
{
    const struct job *j = model_get_job(&c->model, id);
    if (!j || j->state != JOB_PENDING)
        return;
    struct job_reason *r = rec_list_push(&rows->rows);
    *r = (struct job_reason){.job = id, .reason = planner_reason_of(c->planner, j)};
}

/* New jobs, and jobs whose reason has changed. */
static void schedule_tell_reasons(struct control *c, const struct sched_result *r)
{
    struct msg_reasons rows = {0};
    struct schedule *s = schedule_of(c);
    vec_for_each (&s->news, i)
        schedule_add_reason(c, &rows, s->news.v[i]);
    vec_clear(&s->news);
    vec_for_each (&r->changed, i)
        schedule_add_reason(c, &rows, r->changed.v[i]);
    if (rows.rows.n)
        followers_push_reasons(c, &rows);
    rec_fini(&msg_reasons_rec, &rows);
}

static void schedule_start_job(struct control *c, struct sched_start *s)
{
    const struct job *j = model_get_job(&c->model, s->job);
    if (!j)
        return;
    uint32_t id = s->job;
    /* The last element keeps the array's own id. */
    uint32_t new_id = s->array_index != ARRAY_NONE && job_pending_elements(j) > 1 ? c->model.next_job : 0;
    s->start.new_id = new_id;
    if (ctl_emit(c, EV_START, id, &s->start) < 0) {
        log_error("job=%u the policy's start does not fit the state", id);
        return;
    }
    if (new_id)
        ctl_touch(c, new_id);
    c->stats.starts++;
}

/* "job 4 of ann (its rule), 5 of bob". */
/* The victims are told to end; the preemptor gets an event of its own that names them, and the rule with
 * the first of them. */
static void schedule_preempt(struct control *c, const struct sched_result *r)
{
    for (size_t i = 0; i < r->preempts.n;) {
        uint32_t by_job = r->preempts.v[i].by_job;
        struct ev_preempt body = {0};
        struct cause *told = causes_set(&body.why, CAUSE_PREEMPTED_JOBS);
        for (; i < r->preempts.n && r->preempts.v[i].by_job == by_job; i++) {
            const struct sched_preempt *v = &r->preempts.v[i];
            const struct job *by = model_get_job(&c->model, by_job);
            struct ev_kill kill = {.step = STEP_ALL,
                                   .cause = KILL_PREEMPT,
                                   .grace_s = v->grace_s,
                                   .fate = v->fate,
                                   .by_job = by_job,
                                   .user = by ? xstrdup(by->user) : NULL};
            causes_add_copy(&kill.why, &v->why);
            if (ctl_emit(c, EV_KILL, v->job, &kill) < 0)
                continue;
            const struct job *victim = model_get_job(&c->model, v->job);
            struct cause *part = cause_add(told, CAUSE_PREEMPTED_JOB);
            part->n = v->job;
            part->user = victim ? xstrdup(victim->user) : NULL;
            if (body.n_jobs++ == 0)
                rec_copy(&cause_rec, rec_list_push(&part->parts), &v->why);
        }
        if (body.n_jobs)
            ctl_emit(c, EV_PREEMPT, by_job, &body);
        else
            rec_fini(&ev_preempt_rec, &body);
    }
}

/* One piece of work: of the rebuild of the queue, or of a cycle. True: the cycle is complete. */
static bool schedule_plan_some(struct control *c, const struct sched_view *v, struct sched_result *ret)
{
    struct wall now = loop_wall(c->loop);
    return (planner_is_in_cycle(c->planner) || planner_prepare(c->planner, v, now, PREPARE_UNITS)) &&
           planner_cycle_slice(c->planner, v, now, CYCLE_LOOKS, ret);
}

static void schedule_count_slice(struct control *c, int64_t ns, bool done)
{
    struct schedule *s = schedule_of(c);
    uint64_t us = (uint64_t)ns / 1000;
    s->cycle_us += us;
    c->stats.pass_us_sum += us;
    c->stats.slice_us_max = us > c->stats.slice_us_max ? us : c->stats.slice_us_max;
    if (!done)
        return;
    c->stats.passes++;
    c->stats.pass_us_max = s->cycle_us > c->stats.pass_us_max ? s->cycle_us : c->stats.pass_us_max;
    s->cycle_us = 0;
}

/* Planning goes in slices, between which clients are served. */
static bool schedule_plan(struct control *c, struct sched_result *ret)
{
    struct sched_view v = policy_view(c);
    struct mono t0 = mono_read();
    bool done = false;
    int64_t ns = 0;
    while (!done && ns < SLICE_NS) {
        done = schedule_plan_some(c, &v, ret);
        ns = mono_read().ns - t0.ns;
    }
    schedule_count_slice(c, ns, done);
    return done;
}

void schedule_run(struct control *c)
{
    struct sched_result r;
    sched_result_init(&r);
    if (!schedule_plan(c, &r)) {
        schedule_wake(c, 0);
        return;
    }
    vec_for_each (&r.starts, i)
        schedule_start_job(c, &r.starts.v[i]);
    vec_for_each (&r.places, i)
        ctl_emit(c, EV_PLACE, r.places.v[i].job, &r.places.v[i].place);
    vec_clear(&r.starts);
    vec_clear(&r.places);
    schedule_preempt(c, &r);
    schedule_tell_reasons(c, &r);
    if (wall_is_set(r.next)) {
        int64_t ms = r.next.ms - loop_wall(c->loop).ms;
        schedule_wake(c, ms < 1 ? 1 : ms > WAKE_MAX_MS ? WAKE_MAX_MS : ms);
    } else {
        loop_timer_cancel(c->loop, &schedule_of(c)->wake);
    }
    sched_result_fini(&r);
    forecast_slices_want(c);
}
