#include "backend/control/eligibility_watch.h"

#include <stdlib.h>

#include "backend/control/emit.h"
#include "backend/control/schedule.h"
#include "backend/sched/limits/limits.h"
#include "src/os/log.h"
#include "src/text/cause_text.h"
#include "src/text/state_text.h"

#define LATEST_MS 3600000 /* of a timer: the clock may be set meanwhile */
#define LOOKS_MAX 5000u   /* jobs in one loop iteration, so that clients do not wait for more */

struct eligibility_watch {
    struct dep_index deps; /* which jobs wait for which */
    struct dep_list jobs;  /* waiting jobs that may have become eligible in this loop iteration */
    struct loop_timer timer;
    bool due; /* look at what time has changed */
};

static struct eligibility_watch *eligibility_of(const struct control *c)
{
    return c->state[MODULE_ELIGIBILITY];
}

static void eligibility_note(struct control *c, uint32_t job)
{
    vec_push(&eligibility_of(c)->jobs.v, job);
}

static void eligibility_watch_job(struct control *c, uint32_t id)
{
    const struct job *j = model_get_job(&c->model, id);
    if (!j || j->state != JOB_PENDING)
        return;
    bool may = dep_index_add(&eligibility_of(c)->deps, &c->model, j);
    if ((may && !j->dep_met) || wall_is_set(req_rare(&j->req)->deadline))
        eligibility_note(c, id);
}

static void eligibility_loaded(struct control *c)
{
    dep_index_fini(&eligibility_of(c)->deps);
    vec_clear(&eligibility_of(c)->jobs.v);
    list_for_each (j, &c->model.pending, struct job, in_queue)
        eligibility_watch_job(c, j->id);
    eligibility_of(c)->due = true;
}

static void eligibility_on_timer(void *ctx)
{
    struct control *c = ctx;
    eligibility_of(c)->due = true;
    c->sched_dirty = true;
}

static void eligibility_start(struct control *c)
{
    struct eligibility_watch *e = c->state[MODULE_ELIGIBILITY] = xcalloc(1, sizeof *e);
    dep_index_init(&e->deps);
    e->timer = (struct loop_timer){.fn = eligibility_on_timer, .ctx = c};
    eligibility_loaded(c);
}

static void eligibility_stop(struct control *c)
{
    loop_timer_cancel(c->loop, &eligibility_of(c)->timer);
    dep_index_fini(&eligibility_of(c)->deps);
    vec_fini(&eligibility_of(c)->jobs.v);
    free(eligibility_of(c));
}

/* Whether other jobs may depend on it. */
static bool eligibility_moves_others(enum event_kind kind)
{
    return kind == EV_START || kind == EV_PLACE || kind == EV_END || kind == EV_KILL ||
           kind == EV_COMPLETE || kind == EV_REQUEUE || kind == EV_UPDATE;
}

/* The latest start for a deadline depends on the limits of partitions too. */
static void eligibility_note_deadlines(struct control *c)
{
    list_for_each (j, &c->model.pending, struct job, in_queue)
        if (wall_is_set(req_rare(&j->req)->deadline))
            eligibility_note(c, j->id);
}

static void eligibility_after(struct control *c, const struct emission *e)
{
    const struct event *ev = e->ev;
    if (ev->kind == EV_WINDOW)
        eligibility_of(c)->due = true;
    if (ev->kind == EV_CONFIG)
        eligibility_note_deadlines(c);
    if (!ev->job)
        return;
    if (ev->kind == EV_SUBMIT || ev->kind == EV_UPDATE || ev->kind == EV_REQUEUE || ev->kind == EV_END)
        eligibility_watch_job(c, ev->job);
    const struct job *both[] = {model_get_job(&c->model, ev->job), model_get_job(&c->model, e->element)};
    if (ev->kind == EV_SPLIT && both[1])
        eligibility_watch_job(c, both[1]->id);
    for (size_t i = 0; eligibility_moves_others(ev->kind) && i < 2; i++)
        if (both[i])
            dep_index_touched(&eligibility_of(c)->deps, &c->model, both[i], &eligibility_of(c)->jobs);
}

void eligibility_watch_renamed(struct control *c, uint32_t uid, const char *old_name)
{
    dep_index_renamed(&eligibility_of(c)->deps, &c->model, uid, old_name, &eligibility_of(c)->jobs);
}

/* Takes what is in *take_why. */
static void eligibility_end_job(struct control *c, const struct job *j, enum kill_cause cause,
                                struct cause *take_why)
{
    struct ev_kill body = {
        .step = STEP_ALL, .cause = cause, .grace_s = c->model.spec.kill_wait_s, .fate = FATE_END};
    *causes_set(&body.why, CAUSE_NONE) = *take_why;
    *take_why = (struct cause){0};
    log_info("job=%u ended: %s", j->id, kill_cause_text(cause));
    ctl_emit(c, EV_KILL, j->id, &body);
}

/* Returns when to look again by the clock; unset: no need. */
static struct wall eligibility_check_dependency(struct control *c, const struct job *j, struct wall now)
{
    struct deps d;
    struct wall clears = {0};
    if (str_is_empty(j->req.dependency) || dep_parse(j->req.dependency, &d, NULL) < 0)
        return clears;
    enum dep_state s = dep_state(&c->model, j, &d, ARRAY_NONE, now, &clears);
    bool final = s == DEP_MET && dep_is_final(&c->model, j, &d);
    deps_fini(&d);
    if (s == DEP_MET && (!wall_is_set(j->t_eligible) || (final && !j->dep_met))) {
        struct ev_eligible body = {.dep_met = final};
        ctl_emit(c, EV_ELIGIBLE, j->id, &body);
    } else if (s == DEP_NEVER && req_detail(&j->req)->kill_on_invalid_dep) {
        struct cause why = {0};
        dep_explain(&c->model, j, now, &why);
        eligibility_end_job(c, j, KILL_DEPENDENCY, &why);
    } else { /* element by element, or its reason has changed: the planner looks again */
        ctl_touch(c, j->id);
        schedule_note_reason(c, j->id);
        c->sched_dirty = true;
    }
    return clears;
}

/* Until when the job may still wait. */
static struct wall eligibility_deadline_due(const struct control *c, const struct job *j)
{
    struct strv names = job_partitions(j);
    struct wall deadline = req_rare(&j->req)->deadline, due = {.ms = 1};
    for (size_t i = 0; i < names.n; i++) {
        const struct part_spec *part = model_get_part(&c->model, names.v[i]);
        struct wall latest = part ? deadline_latest_start(j, part) : deadline;
        due = latest.ms > due.ms ? latest : due;
    }
    strv_fini(&names);
    return wall_add_s(due, 1);
}

static void eligibility_earliest(struct wall *at, struct wall t)
{
    if (wall_is_set(t) && (!wall_is_set(*at) || t.ms < at->ms))
        *at = t;
}

static void eligibility_check_job(struct control *c, uint32_t id, struct wall now)
{
    const struct job *j = model_get_job(&c->model, id);
    if (!j || j->state != JOB_PENDING)
        return;
    if (deadline_missed(&c->model, j, now)) {
        struct cause why = {.code = CAUSE_JOB_LATE_FOR_DEADLINE};
        eligibility_end_job(c, j, KILL_DEADLINE, &why);
        return;
    }
    struct wall again = eligibility_check_dependency(c, j, now);
    struct wall due =
        wall_is_set(req_rare(&j->req)->deadline) ? eligibility_deadline_due(c, j) : (struct wall){0};
    if (wall_is_set(due))
        eligibility_earliest(&again, due.ms > now.ms ? due : wall_add_s(now, 1));
    if (wall_is_set(again))
        dep_index_remind(&eligibility_of(c)->deps, id, again);
}

/* Windows that are over are removed; the beginning and end of one change what can start. */
static void eligibility_check_windows(struct control *c, struct wall now, struct wall *next)
{
    for (size_t i = c->model.windows.n; i-- > 0;) {
        const struct window *w = &c->model.windows.v[i];
        if (w->end.ms <= now.ms) {
            struct ev_window body = {.window.name = xstrdup(w->name), .remove = true};
            log_info("window=%s is over", w->name);
            ctl_emit(c, EV_WINDOW, 0, &body);
            continue;
        }
        eligibility_earliest(next, w->end);
        if (w->start.ms > now.ms)
            eligibility_earliest(next, w->start);
    }
}

static void eligibility_check_clock(struct control *c)
{
    struct wall now = loop_wall(c->loop),
                next = dep_index_due(&eligibility_of(c)->deps, now, &eligibility_of(c)->jobs);
    eligibility_check_windows(c, now, &next);
    eligibility_of(c)->due = false;
    int64_t ms = next.ms - now.ms;
    if (wall_is_set(next))
        loop_timer_set(c->loop, &eligibility_of(c)->timer, ms < 1 ? 1 : ms > LATEST_MS ? LATEST_MS : ms);
    else
        loop_timer_cancel(c->loop, &eligibility_of(c)->timer);
}

bool eligibility_watch_run(struct control *c, uint32_t *n_done)
{
    struct wall now = loop_wall(c->loop);
    if (eligibility_of(c)->due)
        eligibility_check_clock(c);
    struct dep_list look = eligibility_of(c)->jobs;
    size_t n = *n_done < LOOKS_MAX ? LOOKS_MAX - *n_done : 0;
    n = look.v.n < n ? look.v.n : n;
    eligibility_of(c)->jobs = (struct dep_list){VEC_INIT};
    for (size_t i = 0; i < n; i++)
        eligibility_check_job(c, look.v.v[i], now);
    *n_done += (uint32_t)n;
    for (size_t i = n; i < look.v.n; i++) /* behind the jobs that these have made eligible */
        eligibility_note(c, look.v.v[i]);
    vec_fini(&look.v);
    if (n)
        eligibility_check_clock(c);
    return eligibility_of(c)->jobs.v.n > 0;
}

bool eligibility_watch_names(struct control *c, const struct job *j)
{
    return dep_index_names(&eligibility_of(c)->deps, &c->model, j);
}

const struct module_ops eligibility_watch_module = {.start = eligibility_start,
                                                    .stop = eligibility_stop,
                                                    .loaded = eligibility_loaded,
                                                    .after = eligibility_after};
