/* eligibility_watch.c - what opens and closes with time and with other jobs: dependencies, deadlines,
 * windows.
 *
 * The policy only looks; here what it would find is turned into events: a dependency that is met
 * (ELIGIBLE), one that is dead and whose job is not to wait for ever (KILL), a deadline that can no longer
 * be kept (KILL), a window that is over (WINDOW). Jobs whose gates may have opened are noted as events come
 * in and looked at at the end of the turn, so many in one: nothing here walks the queue.
 */
#include <stdlib.h>

#include "backend/control/private.h"
#include "backend/sched/limits/limits.h"
#include "src/base/log.h"

#define LATEST_MS 3600000 /* of a timer: the clock may be set meanwhile */
#define LOOKS_MAX 5000u   /* in one turn: others wait for its end */

static void look_later(struct control *c, uint32_t job)
{
    vec_push(&c->gate_look.v, job);
}

static void watch_job(struct control *c, uint32_t id)
{
    const struct job *j = model_get_job(&c->model, id);
    if (!j || j->state != JOB_PENDING)
        return;
    bool may = dep_index_add(&c->deps, &c->model, j);
    if ((may && !j->dep_met) || wall_is_set(req_rare(&j->req)->deadline))
        look_later(c, id);
}

void ctl_build_gates(struct control *c)
{
    limits_free(c->limits);
    c->limits = limits_new(&c->model);
    dep_index_fini(&c->deps);
    vec_clear(&c->gate_look.v);
    list_for_each (j, &c->model.pending, struct job, in_queue)
        watch_job(c, j->id);
    c->gates_due = true;
}

void ctl_free_gates(struct control *c)
{
    loop_timer_cancel(c->loop, &c->gate_timer);
    limits_free(c->limits);
    dep_index_fini(&c->deps);
    vec_fini(&c->gate_look.v);
}

/* Whether others may have waited for it. */
static bool moves_others(enum event_kind kind)
{
    return kind == EV_START || kind == EV_PLACE || kind == EV_END || kind == EV_KILL ||
           kind == EV_COMPLETE || kind == EV_REQUEUE || kind == EV_UPDATE;
}

/* The element that an event about its array's record has made a job of its own; 0: none. */
static uint32_t new_element(const struct event *ev)
{
    if (ev->kind == EV_SPLIT)
        return ((const struct ev_split *)ev->body)->new_id;
    return ev->kind == EV_START ? ((const struct ev_start *)ev->body)->new_id : 0;
}

/* What is left of a deadline hangs on the limits of partitions too. */
static void look_at_all_deadlines(struct control *c)
{
    list_for_each (j, &c->model.pending, struct job, in_queue)
        if (wall_is_set(req_rare(&j->req)->deadline))
            look_later(c, j->id);
}

void ctl_note_gates(struct control *c, const struct event *ev)
{
    limits_note(c->limits, &c->model, ev);
    if (ev->kind == EV_WINDOW)
        c->gates_due = true;
    if (ev->kind == EV_CONFIG)
        look_at_all_deadlines(c);
    if (!ev->job)
        return;
    if (ev->kind == EV_SUBMIT || ev->kind == EV_UPDATE || ev->kind == EV_REQUEUE || ev->kind == EV_END)
        watch_job(c, ev->job);
    const struct job *both[] = {model_get_job(&c->model, ev->job),
                                model_get_job(&c->model, new_element(ev))};
    if (ev->kind == EV_SPLIT && both[1])
        watch_job(c, both[1]->id);
    for (size_t i = 0; moves_others(ev->kind) && i < 2; i++)
        if (both[i])
            dep_index_touched(&c->deps, &c->model, both[i], &c->gate_look);
}

void ctl_note_renamed(struct control *c, uint32_t uid, const char *old_name)
{
    dep_index_renamed(&c->deps, &c->model, uid, old_name, &c->gate_look);
}

static void end_job(struct control *c, const struct job *j, enum kill_cause cause, const char *text)
{
    struct ev_kill body = {.step = STEP_ALL,
                           .cause = cause,
                           .grace_s = c->model.spec.kill_wait_s,
                           .fate = FATE_END,
                           .text = xstrdup(text)};
    log_info("job=%u ended: %s", j->id, kill_cause_text(cause));
    ctl_emit(c, EV_KILL, j->id, &body);
}

/* Returns when to look again by the clock; unset: no need. */
static struct wall look_at_dependency(struct control *c, const struct job *j, struct wall now)
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
    } else if (s == DEP_NEVER && j->req.kill_on_invalid_dep) {
        struct str why = STR_INIT;
        dep_explain(&c->model, j, now, &why);
        end_job(c, j, KILL_DEPENDENCY, why.s);
        str_fini(&why);
    } else { /* element by element, or its reason is another now: the planner looks again */
        ctl_touch(c, j->id);
        vec_push(&c->fresh, j->id);
        c->sched_dirty = true;
    }
    return clears;
}

/* Until when it may still wait. */
static struct wall deadline_due(const struct control *c, const struct job *j)
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

static void earliest(struct wall *at, struct wall t)
{
    if (wall_is_set(t) && (!wall_is_set(*at) || t.ms < at->ms))
        *at = t;
}

static void look_at_job(struct control *c, uint32_t id, struct wall now)
{
    const struct job *j = model_get_job(&c->model, id);
    if (!j || j->state != JOB_PENDING)
        return;
    if (deadline_missed(&c->model, j, now)) {
        end_job(c, j, KILL_DEADLINE, "it could no longer end before its deadline");
        return;
    }
    struct wall again = look_at_dependency(c, j, now);
    struct wall due = wall_is_set(req_rare(&j->req)->deadline) ? deadline_due(c, j) : (struct wall){0};
    if (wall_is_set(due))
        earliest(&again, due.ms > now.ms ? due : wall_add_s(now, 1));
    if (wall_is_set(again))
        dep_index_remind(&c->deps, id, again);
}

/* Those that are over go; what begins or has just ended changes what can start. */
static void look_at_windows(struct control *c, struct wall now, struct wall *next)
{
    for (size_t i = c->model.windows.n; i-- > 0;) {
        const struct window *w = &c->model.windows.v[i];
        if (w->end.ms <= now.ms) {
            struct ev_window body = {.window.name = xstrdup(w->name), .remove = true};
            log_info("window=%s is over", w->name);
            ctl_emit(c, EV_WINDOW, 0, &body);
            continue;
        }
        earliest(next, w->end);
        if (w->start.ms > now.ms)
            earliest(next, w->start);
    }
}

static void on_gate_timer(void *ctx)
{
    struct control *c = ctx;
    c->gates_due = true;
    c->sched_dirty = true;
}

static void look_at_clock(struct control *c)
{
    struct wall now = loop_wall(c->loop), next = dep_index_due(&c->deps, now, &c->gate_look);
    look_at_windows(c, now, &next);
    c->gates_due = false;
    c->gate_timer.fn = on_gate_timer;
    c->gate_timer.ctx = c;
    int64_t ms = next.ms - now.ms;
    if (wall_is_set(next))
        loop_timer_set(c->loop, &c->gate_timer, ms < 1 ? 1 : ms > LATEST_MS ? LATEST_MS : ms);
    else
        loop_timer_cancel(c->loop, &c->gate_timer);
}

bool ctl_open_gates(struct control *c, uint32_t *looks)
{
    struct wall now = loop_wall(c->loop);
    if (c->gates_due)
        look_at_clock(c);
    struct dep_list look = c->gate_look;
    size_t n = *looks < LOOKS_MAX ? LOOKS_MAX - *looks : 0;
    n = look.v.n < n ? look.v.n : n;
    c->gate_look = (struct dep_list){VEC_INIT};
    for (size_t i = 0; i < n; i++)
        look_at_job(c, look.v.v[i], now);
    *looks += (uint32_t)n;
    for (size_t i = n; i < look.v.n; i++) /* behind what these have opened */
        look_later(c, look.v.v[i]);
    vec_fini(&look.v);
    if (n)
        look_at_clock(c);
    return c->gate_look.v.n > 0;
}
