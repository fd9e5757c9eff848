/* why.c - the whole answer to why a job waits: all causes with their numbers, when it can expect to start,
 * and where it stands. */
#include <stdlib.h>

#include "backend/sched/explain/advice.h"
#include "backend/sched/explain/why_internal.h"
#include "src/text/eventtext.h"

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
    uintptr_t running = (uintptr_t)idmap_get(&q->queue->active.array_running, q->j->array_job);
    if (planner_array_left(q->p, q->j))
        return;
    uint32_t most = q->j->req.array_throttle, now = (uint32_t)running;
    uint32_t by_preemptor = preemptor_charges_of_array(planner_preempt(q->p), q->j->array_job);
    struct str text = STR_INIT;
    str_appendf(&text, "its array may run %u element%s at once and %u run%s", most, most == 1 ? "" : "s",
                now, now == 1 ? "s" : "");
    if (by_preemptor)
        str_appendf(&text, "; others have been preempted for %u more", by_preemptor);
    why_add_cause(q->w, WHY_ARRAY_THROTTLE, q->brief ? (struct wall){0} : why_throttle_clears(q),
                  str_take(&text));
    why_set_head(q->w, xasprintf("array limit: %u at a time", most), NULL, (struct wall){0});
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
    struct str b = STR_INIT;
    if (job_class_limit_state(q->queue, g) != LIMIT_OVER_SOFT || why_names_limit(q->w))
        return;
    for (uint32_t i = 0; i < g->n_choices; i++)
        if (limits_check(q->queue->limits, &g->requests[i], &v) == LIMIT_OVER_SOFT)
            break;
    limit_text(&v, &b);
    str_append(&b, ": jobs within their soft limits go first, and no job is preempted for it");
    why_add_cause(q->w, limit_why_class(&v), (struct wall){0}, str_take(&b));
}

/* Victims that are on their way out for it. */
static void explain_preempting(const struct question *q)
{
    list_for_each (r, &q->queue->active.leaving, struct active_job, in_leaving) {
        if (r->for_job != q->j->id)
            continue;
        const struct job *victim = model_get_job(q->v->model, r->job);
        struct str b = STR_INIT;
        bool told = victim && wall_is_set(job_rare(victim)->t_kill);
        struct wall until = told ? wall_add_s(job_rare(victim)->t_kill, job_rare(victim)->kill_grace_s)
                                 : (struct wall){.ms = r->leaves_until};
        str_append(&b, "preempts ");
        jobtext_preemptor(&b, r->job, victim ? victim->user : NULL);
        struct str head = STR_INIT;
        str_append(&head, b.s);
        str_append(&b, ", which ends when its grace time is over at the latest");
        why_add_cause(q->w, WHY_BUSY, until, str_take(&b));
        why_set_head(q->w, str_take(&head), ", which ends by ", until);
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
            why_no_place(q, i);
    suspend_own(q, false);
}

/* --- when --- */

static bool is_limited(const struct question *q)
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
    w->start_est = f.start;
    if (f.kind == FORECAST_SLOT)
        w->start_basis = xstrdup("a place is held for it from then on, sooner if jobs end early");
    else if (f.kind == FORECAST_PLANNED)
        w->start_basis = xstrdup(
            is_limited(q) ? "by the time limits of what counts against its limits and of the jobs ahead"
                          : "by the time limits of what runs and of the jobs ahead");
    else if (f.kind == FORECAST_BEYOND && q->u->class && q->u->class->deadline != WHEN_NEVER) {
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
    struct wall opens = eligibility_time(q->v, q->j, q->now);
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

/* What comes first in a list: what only a change can clear, gates, then nodes, windows, the queue and last
 * what is merely in use. A cause of one partition that does not keep it out of the others comes last. */
static int weight_of(const struct question *q, const struct why_cause *c)
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
    case WHY_BUSY: return 8;
    case WHY_LAUNCH_RETRY:
    case WHY_N_CLASSES: break;
    }
    return 10;
}

/* By insertion: those of one weight stay as they come, and there are few. */
static void sort_causes(const struct question *q)
{
    struct why_cause *v = q->w->causes.v;
    for (size_t i = 1; i < q->w->causes.n; i++)
        for (size_t k = i; k && weight_of(q, &v[k]) < weight_of(q, &v[k - 1]); k--) {
            struct why_cause c = v[k];
            v[k] = v[k - 1];
            v[k - 1] = c;
        }
}

/* Only a change helps: by a gate, or as no node will ever do. */
static bool is_never(const struct msg_why *w)
{
    for (size_t i = 0; i < w->causes.n; i++)
        if (w->causes.v[i].cls == WHY_NO_FIT || w->causes.v[i].cls == WHY_NOT_ALLOWED ||
            w->causes.v[i].cls == WHY_DEP_DEAD)
            return true;
    return false;
}

/* A release is refused as a submission would be: the sentence about the hold does not offer it then. */
static void explain_release(struct question *q, enum refusal refusal, struct errtext *text)
{
    struct why_cause *c = q->w->causes.n ? &q->w->causes.v[0] : NULL;
    if (q->brief || !c || c->cls != WHY_HELD || str_is_empty(c->head) || refusal == REFUSAL_PART_DOWN)
        return;
    if (refusal == REFUSAL_NONE)
        refusal = sched_admit_counts(q->p, q->v, q->j, (struct sched_admit_how){0}, q->now, text);
    if (refusal == REFUSAL_NONE)
        return;
    free(c->text);
    c->text = xasprintf("%s; a release is refused: %s", c->head, text->s);
}

/* Behind a gate: whether it could run at all once that opens. */
static void explain_never_behind_gate(struct question *q)
{
    struct errtext text = {""};
    const struct job *j = q->j;
    bool steps = j->kind == JOB_KIND_STEPS;
    enum refusal refusal =
        sched_admit(q->p, q->v, j->uid, &j->req, steps ? j->steps.v : NULL, steps ? j->steps.n : 0, &text);
    if (refusal == REFUSAL_NEVER_FITS)
        why_add_cause(q->w, WHY_NO_FIT, (struct wall){0}, xstrdup(text.s));
    explain_release(q, refusal, &text);
}

/* ", starts ~14:44" behind what the queue and what is in use let it wait for. */
static void add_start_to_heads(const struct question *q, enum forecast_kind kind)
{
    const struct msg_why *w = q->w;
    char buf[UNITS_TEXT_SIZE];
    for (size_t i = 0; i < w->causes.n; i++) {
        struct why_cause *c = &w->causes.v[i];
        if ((c->cls != WHY_BEHIND && c->cls != WHY_BUSY) || str_is_empty(c->head) || c->when_words)
            continue;
        if (wall_is_set(w->start_est)) {
            c->when_words = xstrdup(", starts ~");
            c->when = w->start_est;
        } else if (kind == FORECAST_BEYOND) {
            char *head = xasprintf("%s, not within %s", c->head,
                                   duration_format_words(q->v->model->spec.window_s, buf));
            free(c->head);
            c->head = head;
        }
    }
}

static void forget_start(struct msg_why *w)
{
    w->start_est = w->likely = w->unlikely = w->made = (struct wall){0};
    w->held = false;
    free(w->start_basis);
    w->start_basis = NULL;
}

/* In the queue: what is in its way there. */
static void explain_turn(struct question *q)
{
    bool shut = is_never(q->w); /* by licences or limits */
    explain_queue(q);
    add_forecast(q);
    q->never = q->never || shut || why_all_late(q);
    if (q->never)
        forget_start(q->w);
    add_start_to_heads(q, forecast_of(planner_forecaster(q->p), q->j->id).kind);
    sort_causes(q);
    if (!q->brief) {
        why_date_turn(q);
        if (!q->never)
            explain_borrowing(q);
    }
}

static void explain_soon(struct question *q)
{
    struct msg_why *w = q->w;
    why_add_cause(w, WHY_BEHIND, q->now, xstrdup("it fits now and starts with the next pass"));
    why_set_head(w, xstrdup("starts now"), NULL, (struct wall){0});
    w->start_est = q->now;
    free(w->start_basis); /* of a forecast that is older */
    w->start_basis = xstrdup("free resources");
}

/* Between priorities_begin_query and priorities_end_query. */
static void explain(struct question *q)
{
    struct sched_view mine = *q->v; /* what is held is what the planner has counted */
    uint32_t tasks;
    mine.limits = q->queue->limits;
    mine.licences = &planner_preempt(q->p)->licences;
    q->u = idmap_get(&q->queue->entries.by_job, q->j->id);
    q->step = q->j->kind == JOB_KIND_STEPS ? pending_step(q->j, &tasks) : NULL;
    q->w->reason = planner_reason_of(q->p, q->j);
    q->w->id_text = job_format_id(q->j, IDS_MAX);
    if (q->u)
        preemptor_charge_remove(planner_preempt(q->p), q->u);
    eligibility_explain(&mine, q->j, q->now, q->w);
    if (!q->brief)
        why_date_gates(q);
    explain_throttle(q);
    if (q->u && q->u->class) {
        explain_turn(q);
    } else if (q->u) {
        if (!q->brief || !q->w->causes.n)
            explain_never_behind_gate(q);
        q->never = is_never(q->w);
        sort_causes(q);
        if (!q->brief && !q->never)
            add_later(q);
    }
    explain_last_run(q);
    if (q->u)
        preemptor_charge_add(planner_preempt(q->p), q->u);
    if (!q->w->causes.n) /* the next pass, at the end of this turn, looks at it */
        explain_soon(q);
}

static void begin(struct planner *p, const struct sched_view *v, struct wall now)
{
    planner_ready(p, v, now);
    priorities_begin_query(planner_queue(p), v, now);
    planner_ready_limits(p, v, now);
    queue_order_begin(p, now);
}

/* The limit that keeps the next task of a step job that runs; on the nodes that it holds there is no room.
 */
static enum limit_state limit_of_task(const struct question *q, const struct step *s,
                                      struct limit_verdict *ret)
{
    struct limit_request request;
    limits_request_task(q->queue->limits, q->v->model, q->j, s, model_job_part(q->v->model, q->j),
                        &request);
    if (limits_check(q->queue->limits, &request, ret) == LIMIT_OVER_HARD)
        return LIMIT_OVER_HARD;
    request.nodes = 1;
    return limits_check(q->queue->limits, &request, ret);
}

/* Tasks of a step job that runs may wait; where a limit keeps them, it is named. */
static void append_waiting_tasks(const struct question *q, struct str *out)
{
    uint32_t tasks = 0;
    struct limit_verdict verdict = {.state = LIMIT_OK};
    bool runs = q->j->kind == JOB_KIND_STEPS && q->j->state == JOB_RUNNING;
    const struct step *s = runs ? pending_step(q->j, &tasks) : NULL;
    if (!s)
        return;
    planner_ready(q->p, q->v, q->now);
    planner_ready_limits(q->p, q->v, q->now);
    str_appendf(out, "; %u of its tasks wait", tasks);
    if (limit_of_task(q, s, &verdict) == LIMIT_OVER_HARD) {
        str_append(out, ": ");
        limit_text(&verdict, out);
    }
}

/* It runs, or has ended; a victim in its grace time says for whom it goes. */
static void answer_begun(const struct question *q)
{
    const struct job *j = q->j;
    struct msg_why *w = q->w;
    struct str b = STR_INIT;
    char *id = job_format_id(j, IDS_MAX);
    w->reason = j->reason;
    const struct job_rare *rare = job_rare(j);
    bool live = j->state == JOB_RUNNING || j->state == JOB_SUSPENDED || j->state == JOB_COMPLETING;
    if (job_state_is_final(j->state)) {
        jobtext_ended(&b, j, id);
        w->t_past = j->t_end;
        w->summary = str_take(&b);
        w->id_text = id;
        return;
    }
    str_appendf(&b, "job %s does not wait: it is ", id);
    if (live && j->kill_cause == KILL_PREEMPT) {
        jobtext_kill(&b, j);
        w->until = wall_add_s(rare->t_kill, rare->kill_grace_s);
    } else {
        str_append(&b, job_state_long(j->state));
        append_waiting_tasks(q, &b);
    }
    w->summary = str_take(&b);
    w->id_text = id;
}

static void summarise(struct msg_why *w)
{
    struct str b = STR_INIT;
    const char *text = w->causes.v[0].text;
    str_appendf(&b, "job %s %s%s", w->id_text, str_starts(text, "waits ") ? "" : "waits: ", text);
    if (w->causes.n > 1)
        str_appendf(&b, " (and %zu more cause%s)", w->causes.n - 1, w->causes.n == 2 ? "" : "s");
    w->summary = str_take(&b);
}

void sched_why(struct planner *p, const struct sched_view *v, const struct job *j, struct wall now,
               struct msg_why *ret)
{
    struct question q = {.p = p, .queue = planner_queue(p), .v = v, .j = j, .now = now, .w = ret};
    *ret = (struct msg_why){.job = j->id, .state = j->state};
    if (j->state != JOB_PENDING) {
        answer_begun(&q);
        return;
    }
    begin(p, v, now);
    explain(&q);
    priorities_end_query(planner_queue(p));
    summarise(ret);
    advice_find(p, v, j, now, ret);
}

void sched_waits_begin(struct planner *p, const struct sched_view *v, struct wall now)
{
    begin(p, v, now);
}

void sched_wait(struct planner *p, const struct sched_view *v, const struct job *j, struct wall now,
                struct why_cause *ret)
{
    struct msg_why w = {.job = j->id, .state = j->state};
    struct question q = {
        .p = p, .queue = planner_queue(p), .v = v, .j = j, .now = now, .w = &w, .brief = true};
    *ret = (struct why_cause){0};
    if (j->state != JOB_PENDING)
        return;
    explain(&q);
    rec_copy(&why_cause_rec, ret, &w.causes.v[0]);
    rec_fini(&msg_why_rec, &w);
}

void sched_waits_end(struct planner *p)
{
    priorities_end_query(planner_queue(p));
}
