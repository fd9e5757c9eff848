/* why.c - the whole answer to why a job waits: all causes with their numbers, when it can expect to start,
 * and where it stands. */
#include <stdlib.h>

#include "backend/sched/explain/advice.h"
#include "backend/sched/explain/why_internal.h"
#include "src/model/runs.h"
#include "src/model/task_parts.h"

#define IDS_MAX 40 /* characters of an array's elements */

static void explain_throttle(const struct question *q)
{
    uintptr_t running = (uintptr_t)idmap_get(&q->queue->active.array_running, q->j->array_job);
    if (planner_array_left(q->p, q->j))
        return;
    struct cause *c = why_add(q->w, WHY_ARRAY_THROTTLE, CAUSE_THROTTLE);
    c->most = q->j->req.array_throttle;
    c->n = running;
    c->more = preemptor_charges_of_array(planner_preempt(q->p), q->j->array_job);
    c->clears = q->brief ? (struct wall){0} : why_throttle_clears(q);
}

/* --- the queue --- */

/* What is held for itself is not in its way, nor is its reservation. */
static void suspend_own(const struct question *q, bool aside)
{
    struct pool *pool = &q->queue->pool;
    struct pool_use *own[] = {&q->u->slot.use, q->u->class->own};
    for (size_t i = 0; i < 2; i++) {
        if (!own[i] || !own[i]->parts)
            continue;
        if (aside)
            pool_suspend(pool, own[i]);
        else
            pool_restore(pool, own[i]);
    }
    extra_slots_suspend(planner_preempt(q->p), q->u, aside);
}

/* Over a soft limit in each of its partitions. */
static void explain_borrowing(const struct question *q)
{
    const struct job_class *g = q->u->class;
    struct limit_verdict v;
    struct cause c = {0};
    if (job_class_limit_state(q->queue, g) != LIMIT_OVER_SOFT || why_names_limit(q->w))
        return;
    for (uint32_t i = 0; i < g->n_choices; i++)
        if (limits_check(q->queue->limits, &g->requests[i], &v) == LIMIT_OVER_SOFT)
            break;
    limit_cause(&v, &c);
    c.code = CAUSE_LIMIT_BORROW;
    why_add_take(q->w, limit_why_class(&v), &c);
}

/* It would use up a limit or a licence that a planned start needs. fits: and nothing else is in its way, in
 * one of its tiers or before its own planned start, whatever its reason is. */
static void explain_promise(const struct question *q, bool fits)
{
    const struct class_reason *rest = &q->u->class->rest;
    const struct pending_entry *other =
        rest->promised_to ? idmap_get(&q->queue->entries.by_job, rest->promised_to) : NULL;
    bool broken = rest->verdict.state != LIMIT_OK;
    bool by_limit = broken && (fits || q->w->reason == limit_reason(&rest->verdict));
    bool by_licence = fits ? !broken : q->w->reason == REASON_LICENSES;
    if (!other || other == q->u || !other->slot.use.parts || q->w->causes.n || (!by_limit && !by_licence))
        return;
    struct cause *c =
        why_add(q->w, by_limit ? limit_why_class(&rest->verdict) : WHY_BUSY, CAUSE_LIMIT_PLANNED);
    strv_push_take(&c->jobs, model_job_name(q->v->model, other->job));
    c->at.ms = other->slot.use.start;
    if (other->slot.use.end != WHEN_NEVER)
        c->clears.ms = other->slot.use.end;
}

/* Victims that are on their way out for it. */
static void explain_preempting(const struct question *q)
{
    list_for_each (r, &q->queue->active.leaving, struct active_job, in_leaving) {
        if (r->for_job != q->j->id)
            continue;
        const struct job *victim = model_get_job(q->v->model, r->job);
        bool told = victim && wall_is_set(job_rare(victim)->t_kill);
        struct cause *c = why_add(q->w, WHY_BUSY, CAUSE_PREEMPTS);
        c->id = model_job_name(q->v->model, r->job);
        c->user = victim ? xstrdup(victim->user) : NULL;
        c->at = told ? wall_add_s(job_rare(victim)->t_kill, job_rare(victim)->kill_grace_s)
                     : (struct wall){.ms = r->leaves_until};
        c->clears = c->at;
    }
}

/* Running jobs that it may preempt once their minimum runs are over. */
static void explain_minimum_runs(const struct question *q)
{
    const struct job_class *g = q->u->class;
    for (uint32_t i = 0; i < g->n_choices; i++) {
        const struct part_spec *part = &q->v->model->spec.parts.v[g->choices[i].partition];
        struct preemptor by = preemptor_of(planner_preempt(q->p), part->priority_tier, g->qos);
        uint32_t n;
        const struct active_job *first =
            preempt_first_exempt(planner_preempt(q->p), &by, g->choices[i].set, q->now, &n);
        if (!first)
            continue;
        struct cause *c = why_add(q->w, WHY_BUSY, CAUSE_PREEMPTS_LATER);
        c->id = model_job_name(q->v->model, first->job);
        c->at.ms = first->candidate.exempt_until == WHEN_NEVER ? 0 : first->candidate.exempt_until;
        c->clears = c->at;
        c->n = n;
        return;
    }
}

static bool is_preempting(const struct question *q)
{
    list_for_each (r, &q->queue->active.leaving, struct active_job, in_leaving)
        if (r->for_job == q->j->id)
            return true;
    return false;
}

static void explain_queue(struct question *q)
{
    const struct job_class *g = q->u->class;
    bool ever = false;
    for (uint32_t i = 0; i < g->n_choices; i++)
        ever = request_shape_could_ever(q->queue, g->shapes[i]) || ever;
    if (!ever) {
        q->never = true;
        for (uint32_t i = 0; i < g->n_choices; i++)
            why_never(q, &g->choices[i]);
        return;
    }
    for (uint32_t i = 0; i < g->n_choices; i++)
        if (request_shape_could_ever(q->queue, g->shapes[i]))
            why_behind(q, g->choices[i].partition);
    if (is_preempting(q)) {
        explain_preempting(q);
        return;
    }
    suspend_own(q, true);
    for (uint32_t i = 0; i < g->n_choices; i++)
        if (request_shape_could_ever(q->queue, g->shapes[i]))
            why_no_place(q, &g->choices[i]);
    suspend_own(q, false);
    if (!q->brief)
        explain_minimum_runs(q);
}

/* --- when --- */

static bool why_is_limited(const struct question *q)
{
    return q->w->reason == REASON_LICENSES || q->w->reason == REASON_ARRAY_LIMIT ||
           job_class_limit_state(q->queue, q->u->class) == LIMIT_OVER_HARD;
}

static void add_forecast(const struct question *q)
{
    struct forecast f = forecast_of(planner_forecaster(q->p), q->j->id);
    struct msg_why *w = q->w;
    w->made = f.made;
    w->likely = f.likely;
    w->unlikely = f.unlikely;
    w->samples = f.samples;
    w->held = f.kind == FORECAST_SLOT;
    w->start = f.start;
    if (f.kind == FORECAST_SLOT)
        cause_set(&w->basis, CAUSE_START_HELD);
    else if (f.kind == FORECAST_PLANNED)
        cause_set(&w->basis, why_is_limited(q) ? CAUSE_START_LIMITED : CAUSE_START_PLANNED);
    else if (f.kind == FORECAST_BEYOND && q->u->class && q->u->class->deadline != WHEN_NEVER)
        cause_set(&w->basis, CAUSE_START_DEADLINE);
    else if (f.kind == FORECAST_BEYOND)
        cause_set(&w->basis, CAUSE_START_BEYOND)->window_s = q->v->model->spec.window_s;
}

/* A job that becomes eligible at a time starts from then on. One that other jobs make eligible starts no
 * sooner, that is all. */
static void add_later(const struct question *q)
{
    struct wall opens = eligibility_time(q->v, q->j, q->now);
    struct msg_why *w = q->w;
    if (wall_is_set(opens)) {
        add_forecast(q);
        if (w->basis.code == CAUSE_NONE && !wall_is_set(w->made)) {
            w->start = opens;
            cause_set(&w->basis, CAUSE_START_NOT_BEFORE);
        } else if (w->basis.code == CAUSE_NONE) {
            cause_set(&w->basis, w->start.ms <= opens.ms ? CAUSE_START_AT_ONCE : CAUSE_START_AFTER);
        }
    } else if (w->reason == REASON_DEPENDENCY && w->causes.n == 1 && wall_is_set(w->causes.v[0].clears)) {
        cause_set(&w->basis, CAUSE_START_DEPENDS);
    }
}

/* It has run already: how that ended. Where it could not be started it is tried again, which is a cause. */
static void explain_last_run(const struct question *q)
{
    const struct job_rare *rare = job_rare(q->j);
    struct run_record r;
    uint32_t n = runs_count(q->j);
    if (n < 2)
        return;
    run_summary(run_get(q->j, n - 2, &r), &q->w->run);
    bool failed = rare->runs.v[rare->runs.n - 1].reason == REASON_LAUNCH_FAILURE;
    if (q->w->causes.n && failed && q->j->hold == HOLD_NONE)
        why_add(q->w, WHY_LAUNCH_RETRY, CAUSE_LAUNCH_RETRY);
}

/* The order of a list: what only a change can clear, eligibility, nodes, windows, the queue, and last what
 * is merely in use. A cause of one partition that does not keep it out of the others comes last. */
static int weight_of(const struct question *q, const struct cause *c)
{
    switch ((enum why_class)c->cls) {
    case WHY_HELD: return 0;
    case WHY_NO_FIT:
    case WHY_NOT_ALLOWED:
    case WHY_DEP_DEAD: return q->never ? 1 : 9;
    case WHY_USER_LIMIT:
    case WHY_GROUP_LIMIT:
    case WHY_DEP_WAIT:
    case WHY_NOT_YET:
    case WHY_ARRAY_THROTTLE:
    case WHY_PARTITION_DOWN: return 2;
    case WHY_COOLDOWN: return 3;
    case WHY_NODE_OUT: return 4;
    case WHY_WINDOW: return 5;
    case WHY_FOREIGN_GPU: return 6;
    case WHY_BEHIND: return 7;
    case WHY_BUSY: return c->code == CAUSE_LICENCES ? 2 : 8; /* a licence is a limit */
    case WHY_LAUNCH_RETRY:
    case WHY_N_CLASSES: break;
    }
    return 10;
}

/* By insertion: those of one weight stay as they come, and there are few. */
static void sort_causes(const struct question *q)
{
    struct cause *v = q->w->causes.v;
    for (size_t i = 1; i < q->w->causes.n; i++)
        for (size_t k = i; k && weight_of(q, &v[k]) < weight_of(q, &v[k - 1]); k--) {
            struct cause c = v[k];
            v[k] = v[k - 1];
            v[k - 1] = c;
        }
}

/* Only a change helps: the job cannot become eligible, or no node will ever do. */
static bool is_never(const struct msg_why *w)
{
    for (size_t i = 0; i < w->causes.n; i++)
        if (w->causes.v[i].cls == WHY_NO_FIT || w->causes.v[i].cls == WHY_NOT_ALLOWED ||
            w->causes.v[i].cls == WHY_DEP_DEAD)
            return true;
    return false;
}

/* A release is refused as a submission would be: what is said about the hold does not offer it then. */
static void explain_release(struct question *q, enum refusal refusal, struct cause *why)
{
    struct cause *c = &q->w->causes.v[0];
    bool by_user = c->code == CAUSE_HELD_BY_OWNER || c->code == CAUSE_HELD_BY_ADMIN;
    if (!by_user || refusal == REFUSAL_PART_DOWN)
        return;
    if (refusal == REFUSAL_NONE)
        refusal = sched_admit_counts(q->p, q->v, q->j, (struct sched_admit_how){0}, q->now, why);
    if (refusal != REFUSAL_NONE)
        cause_add_take(cause_add(c, CAUSE_RELEASE_REFUSED), why);
}

/* The cause is a hold: finds out whether a release would be refused. */
static void explain_hold_in_full(struct question *q)
{
    struct cause why = {0};
    if (q->w->causes.n && q->w->causes.v[0].cls == WHY_HELD && !q->brief)
        explain_release(q, sched_admit(q->p, q->v, q->j, &why), &why);
    cause_clear(&why);
}

/* What the queue and what is in use let it wait for ends in the start; beside a limit or a licence a list
 * shows it as well, in its column. */
static void add_start_to_causes(const struct question *q, enum forecast_kind kind)
{
    const struct msg_why *w = q->w;
    for (size_t i = 0; i < w->causes.n; i++) {
        struct cause *c = &w->causes.v[i];
        bool turn = c->code == CAUSE_AHEAD || c->code == CAUSE_AHEAD_TASKS ||
                    c->code == CAUSE_AHEAD_UNKNOWN || c->code == CAUSE_NO_PLACE;
        if (wall_is_set(w->start))
            c->start = w->start;
        else if (turn && kind == FORECAST_BEYOND)
            c->window_s = q->v->model->spec.window_s;
    }
}

static void forget_start(struct msg_why *w)
{
    w->start = w->likely = w->unlikely = w->made = (struct wall){0};
    w->held = false;
    cause_clear(&w->basis);
}

/* In the queue: what is in its way there. */
static void explain_turn(struct question *q)
{
    bool shut = is_never(q->w); /* by licences or limits */
    explain_promise(q, false);
    explain_queue(q);
    explain_promise(q, true);
    add_forecast(q);
    q->never = q->never || shut || why_all_late(q);
    if (q->never)
        forget_start(q->w);
    add_start_to_causes(q, forecast_of(planner_forecaster(q->p), q->j->id).kind);
    sort_causes(q);
    if (q->brief)
        return;
    why_date_turn(q);
    if (q->never)
        return;
    explain_borrowing(q);
    suspend_own(q, true);
    why_where(q);
    suspend_own(q, false);
}

static void explain_soon(struct question *q)
{
    struct msg_why *w = q->w;
    why_add(w, WHY_BEHIND, CAUSE_STARTS_NOW)->clears = q->now;
    w->start = q->now;
    cause_set(&w->basis, CAUSE_START_FREE); /* in place of a forecast that is older */
}

/* Between priorities_begin_query and priorities_end_query. */
static void explain(struct question *q)
{
    struct sched_view mine = *q->v; /* what is held is what the planner has counted */
    uint32_t tasks;
    mine.limits = q->queue->limits;
    mine.licences = &planner_preempt(q->p)->licences;
    q->u = idmap_get(&q->queue->entries.by_job, q->j->id);
    q->from = q->queue->pool.now;
    q->step = q->j->kind == JOB_KIND_STEPS ? pending_step(q->j, &tasks) : NULL;
    q->w->reason = planner_reason_of(q->p, q->j);
    if (q->u)
        preemptor_charge_remove(planner_preempt(q->p), q->u);
    eligibility_explain(&mine, q->j, q->now, q->w);
    if (!q->brief)
        why_date_eligibility(q);
    explain_throttle(q);
    if (q->u && q->u->class) {
        explain_turn(q);
    } else if (q->u) {
        explain_hold_in_full(q);
        why_once_eligible(q);
        q->never = is_never(q->w);
        sort_causes(q);
        if (!q->brief && !q->never)
            add_later(q);
    }
    explain_last_run(q);
    if (q->u)
        preemptor_charge_add(planner_preempt(q->p), q->u);
    if (!q->w->causes.n) /* the next cycle, at the end of this iteration, tries it */
        explain_soon(q);
}

void sched_waits_begin(struct planner *p, const struct sched_view *v, struct wall now)
{
    planner_ready(p, v, now);
    priorities_begin_query(planner_queue(p), v, now);
    planner_ready_limits(p, v, now);
    queue_order_begin(p, now);
}

/* The limit that keeps the next task of a step job that runs; on the nodes that it holds there is no
 * room. */
static enum limit_state limit_of_task(const struct question *q, const struct step *s,
                                      struct limit_verdict *ret)
{
    struct limit_request request;
    limits_request_task(q->queue->limits, q->v->model, q->j, s, model_job_part(q->v->model, q->j),
                        &request);
    if (limits_check(q->queue->limits, &request, ret) == LIMIT_OVER_HARD)
        return LIMIT_OVER_HARD;
    request.nodes = step_task_nodes(s);
    return limits_check(q->queue->limits, &request, ret);
}

/* Tasks of a step job that runs may wait: for a limit or for nodes that are out, which are named. */
static void explain_waiting_tasks(const struct question *q)
{
    uint32_t tasks = 0;
    struct limit_verdict verdict = {.state = LIMIT_OK};
    bool runs = q->j->kind == JOB_KIND_STEPS && q->j->state == JOB_RUNNING;
    const struct step *s = runs ? pending_step(q->j, &tasks) : NULL;
    if (!s)
        return;
    planner_ready(q->p, q->v, q->now);
    planner_ready_limits(q->p, q->v, q->now);
    const struct part_spec *part = model_job_part(q->v->model, q->j);
    struct question waiting = *q;
    waiting.step = s;
    struct cause *c = why_add(q->w, WHY_BUSY, CAUSE_TASKS_WAIT);
    c->n = tasks;
    if (limit_of_task(q, s, &verdict) == LIMIT_OVER_HARD)
        limit_cause(&verdict, cause_add(c, CAUSE_NONE));
    else if (part)
        why_task_is_out(&waiting, (uint32_t)(part - q->v->model->spec.parts.v), c);
}

/* It runs, or has ended; a victim in its grace time says for which job it ends. */
static void answer_begun(const struct question *q)
{
    const struct job *j = q->j;
    const struct job_rare *rare = job_rare(j);
    q->w->reason = j->reason;
    run_summary(j, &q->w->run);
    if (job_state_is_final(j->state))
        return;
    if (j->kill_cause == KILL_PREEMPT)
        q->w->until = wall_add_s(rare->t_kill, rare->kill_grace_s);
    else
        explain_waiting_tasks(q);
}

void sched_why(struct planner *p, const struct sched_view *v, const struct job *j, struct wall now,
               struct msg_why *ret)
{
    struct question q = {.p = p, .queue = planner_queue(p), .v = v, .j = j, .now = now, .w = ret};
    *ret = (struct msg_why){.job = j->id,
                            .id = job_format_id(j, IDS_MAX),
                            .uid = j->uid,
                            .user = xstrdup(j->user),
                            .state = j->state};
    if (j->state != JOB_PENDING) {
        answer_begun(&q);
        return;
    }
    sched_waits_begin(p, v, now);
    explain(&q);
    priorities_end_query(planner_queue(p));
    advice_find(p, v, j, now, ret);
}

void sched_wait(struct planner *p, const struct sched_view *v, const struct job *j, struct wall now,
                struct cause *ret)
{
    struct msg_why w = {.job = j->id, .state = j->state};
    struct question q = {
        .p = p, .queue = planner_queue(p), .v = v, .j = j, .now = now, .w = &w, .brief = true};
    *ret = (struct cause){0};
    if (j->state != JOB_PENDING)
        return;
    explain(&q);
    *ret = w.causes.v[0];
    w.causes.v[0] = (struct cause){0};
    rec_fini(&msg_why_rec, &w);
}

void sched_explain_new(struct planner *p, const struct sched_view *v, const struct job *j, struct wall now,
                       struct cause *ret)
{
    struct msg_why w = {.job = j->id, .state = j->state};
    struct question q = {.p = p, .queue = planner_queue(p), .v = v, .j = j, .now = now, .w = &w};
    sched_waits_begin(p, v, now);
    uint32_t tasks;
    q.step = j->kind == JOB_KIND_STEPS ? pending_step(j, &tasks) : NULL;
    why_once_eligible(&q);
    sched_waits_end(p);
    for (size_t i = 0; i < w.causes.n; i++)
        cause_add_take(ret, &w.causes.v[i]);
    rec_fini(&msg_why_rec, &w);
}

void sched_waits_end(struct planner *p)
{
    priorities_end_query(planner_queue(p));
}
