/* why.c - the whole answer to why a job waits: all causes with their numbers, when it can expect to start,
 * and where it stands. */
#include <stdlib.h>

#include "backend/sched/advice.h"
#include "backend/sched/forecast.h"
#include "backend/sched/gate.h"
#include "backend/sched/why_private.h"
#include "src/model/jobevents.h"

#define IDS_MAX 40 /* characters of an array's elements */

void why_add_cause(struct msg_why *w, enum why_class cls, struct wall clears, char *text_taken)
{
    struct why_cause *c = rec_list_push(&w->causes);
    c->cls = cls;
    c->class_name = xstrdup(why_class_name(cls));
    c->text = text_taken;
    c->clears = clears;
}

void why_set_head(struct msg_why *w, char *head_taken, const char *words, struct wall when)
{
    struct why_cause *c = &w->causes.v[w->causes.n - 1];
    free(c->head);
    free(c->when_words);
    c->head = head_taken;
    c->when_words = wall_is_set(when) ? xstrdup(words) : NULL;
    c->when = when;
}

bool why_names_limit(const struct msg_why *w)
{
    for (size_t i = 0; i < w->causes.n; i++)
        if (w->causes.v[i].cls == WHY_USER_LIMIT || w->causes.v[i].cls == WHY_GROUP_LIMIT)
            return true;
    return false;
}

static void explain_throttle(const struct question *q)
{
    uintptr_t running = (uintptr_t)idmap_get(&q->p->array_running, q->j->array_job);
    if (planner_throttle_leaves(q->p, q->j))
        return;
    why_add_cause(q->w, WHY_ARRAY_THROTTLE, why_throttle_clears(q),
                  xasprintf("its array may run %u elements at once and %u run", q->j->req.array_throttle,
                            (uint32_t)running));
}

/* --- the queue --- */

/* What is held for itself is not in its way, nor is its reservation. */
static void set_own_aside(const struct question *q, bool aside)
{
    struct pool *pool = &q->p->pool;
    struct pool_use *own[] = {&q->u->hold.use, q->u->group->own};
    for (size_t i = 0; i < 2; i++) {
        if (!own[i] || !own[i]->parts)
            continue;
        if (aside)
            pool_lift(pool, own[i]);
        else
            pool_lay(pool, own[i]);
    }
    claims_set_aside(q->p, q->u, aside);
}

/* Over a soft limit in each of its partitions. */
static void explain_borrowing(const struct question *q)
{
    const struct group *g = q->u->group;
    struct limit_verdict v;
    struct str b = STR_INIT;
    if (planner_limit_state(q->p, g) != LIMIT_OVER_SOFT || why_names_limit(q->w))
        return;
    for (uint32_t i = 0; i < g->n_choices; i++)
        if (limits_check(q->p->limits, &g->asks[i], &v) == LIMIT_OVER_SOFT)
            break;
    limit_text(&v, &b);
    str_append(&b, ": it comes behind all who are within theirs, and nobody goes for it");
    why_add_cause(q->w, limit_why_class(&v), (struct wall){0}, str_take(&b));
}

static void explain_queue(const struct question *q)
{
    const struct group *g = q->u->group;
    bool ever = false;
    for (uint32_t i = 0; i < g->n_choices; i++)
        ever = planner_could_ever(q->p, g->shapes[i]) || ever;
    if (!ever) {
        for (uint32_t i = 0; i < g->n_choices; i++)
            why_never(q, &g->choices[i]);
        return;
    }
    for (uint32_t i = 0; i < g->n_choices; i++)
        if (planner_could_ever(q->p, g->shapes[i]))
            why_behind(q, g->choices[i].lane);
    set_own_aside(q, true);
    for (uint32_t i = 0; i < g->n_choices; i++)
        if (planner_could_ever(q->p, g->shapes[i]))
            why_no_place(q, i);
    set_own_aside(q, false);
    explain_borrowing(q);
}

/* --- when --- */

static bool is_limited(const struct question *q)
{
    return q->w->reason == REASON_LICENSES || q->w->reason == REASON_ARRAY_LIMIT ||
           planner_limit_state(q->p, q->u->group) == LIMIT_OVER_HARD;
}

static void add_forecast(const struct question *q)
{
    struct forecast f = planner_forecast(q->p, q->j->id);
    struct msg_why *w = q->w;
    w->made = f.made;
    w->likely = f.likely;
    w->unlikely = f.unlikely;
    w->samples = f.samples;
    w->held = f.kind == FORECAST_HELD;
    w->start_est = f.start;
    if (f.kind == FORECAST_HELD)
        w->start_basis = xstrdup("a place is held for it from then on, sooner if jobs end early");
    else if (f.kind == FORECAST_PLANNED)
        w->start_basis = xstrdup(
            is_limited(q) ? "by the time limits of what counts against its limits and of the jobs ahead"
                          : "by the time limits of what runs and of the jobs ahead");
    else if (f.kind == FORECAST_BEYOND && q->u->group && q->u->group->deadline != WHEN_NEVER) {
        w->start_basis = xstrdup("by the time limits of the jobs ahead it cannot end before its deadline");
    } else if (f.kind == FORECAST_BEYOND) {
        char buf[UNITS_TEXT_SIZE];
        w->start_basis =
            xasprintf("not within the next %s", duration_format_words(q->v->model->spec.window_s, buf));
    }
}

/* Behind a gate that the clock opens: from then on. Behind one that other jobs open: no sooner, that is
 * all. */
static void add_later(const struct question *q)
{
    struct wall opens = gate_opens(q->v, q->j, q->now);
    struct msg_why *w = q->w;
    if (wall_is_set(opens)) {
        add_forecast(q);
        bool at_once = w->start_est.ms <= opens.ms;
        if (!w->start_basis && !wall_is_set(w->made)) {
            w->start_est = opens;
            w->start_basis = xstrdup("not before that; what is free then is not worked out yet");
        } else if (!w->start_basis) {
            w->start_basis =
                xstrdup(at_once ? "as soon as its time has come, by the time limits of what runs and "
                                  "waits now"
                                : "after its time has come, by the time limits of what runs and of "
                                  "all that wait now, behind which it comes");
        }
    } else if (w->reason == REASON_DEPENDENCY && w->causes.n == 1 && wall_is_set(w->causes.v[0].clears)) {
        w->start_basis = xstrdup("not before its dependency is met, and what is free then is not known");
    }
}

/* It has run already: how that ended. Where it could not be started it is tried again, which is a cause. */
static void explain_last_run(const struct question *q)
{
    const struct job_rare *rare = job_rare(q->j);
    struct str b = STR_INIT;
    jobtext_last_run(&b, q->j, &q->w->t_past);
    if (b.len)
        q->w->past = str_take(&b);
    str_fini(&b);
    bool failed = rare->runs.n && rare->runs.v[rare->runs.n - 1].reason == REASON_LAUNCH_FAILURE;
    if (q->w->causes.n && failed && q->j->hold == HOLD_NONE)
        why_add_cause(q->w, WHY_LAUNCH_RETRY, (struct wall){0},
                      xstrdup("it could not be started and is tried again"));
}

static void summarise(const struct question *q)
{
    struct msg_why *w = q->w;
    struct str b = STR_INIT;
    char *id = job_format_id(q->j, IDS_MAX);
    const char *text = w->causes.v[0].text;
    str_appendf(&b, "job %s %s%s", id, str_starts(text, "waits ") ? "" : "waits: ", text);
    w->id_text = id;
    if (w->causes.n > 1)
        str_appendf(&b, " (and %zu more cause%s)", w->causes.n - 1, w->causes.n == 2 ? "" : "s");
    w->summary = str_take(&b);
}

void sched_why(struct planner *p, const struct sched_view *v, const struct job *j, struct wall now,
               struct msg_why *ret)
{
    uint32_t tasks;
    struct question q = {.p = p, .v = v, .j = j, .now = now, .w = ret};
    *ret = (struct msg_why){.job = j->id, .state = j->state};
    if (j->state != JOB_PENDING) {
        ret->reason = j->reason;
        char *id = job_format_id(j, IDS_MAX);
        ret->summary = xasprintf("job %s does not wait: it is %s", id, job_state_long(j->state));
        free(id);
        return;
    }
    planner_ready(p, v, now);
    q.u = idmap_get(&p->units, j->id);
    q.step = j->kind == JOB_KIND_STEPS ? planner_waiting_step(j, &tasks) : NULL;
    ret->reason = planner_reason_of(p, j);
    planner_ready_limits(p, v, now);
    if (q.u)
        promise_withdraw(p, q.u);
    struct sched_view mine = *v; /* what is held is what the planner has counted */
    mine.limits = p->limits;
    gate_explain(&mine, j, now, ret);
    why_date_gates(&q);
    explain_throttle(&q);
    if (q.u && q.u->group) {
        planner_begin_asking(p, v, now);
        explain_queue(&q);
        add_forecast(&q);
        why_date_turn(&q);
        planner_end_asking(p);
    } else if (q.u) {
        add_later(&q);
    }
    explain_last_run(&q);
    if (q.u)
        promise_make(p, q.u);
    if (!ret->causes.n) { /* the next pass, at the end of this turn, looks at it */
        why_add_cause(ret, WHY_BEHIND, now, xstrdup("it fits now and starts with the next pass"));
        ret->start_est = now;
        free(ret->start_basis); /* of a forecast that is older */
        ret->start_basis = xstrdup("free resources");
    }
    summarise(&q);
    advice_find(p, v, j, now, ret);
}
