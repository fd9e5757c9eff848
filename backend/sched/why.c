/* why.c - the whole answer to why a job waits: all causes with their numbers, when it can expect to start,
 * and where it stands. */
#include <stdio.h>
#include <stdlib.h>

#include "backend/sched/advice.h"
#include "backend/sched/forecast.h"
#include "backend/sched/gate.h"
#include "backend/sched/refused.h"
#include "backend/sched/why_private.h"
#include "src/model/window.h"

#define BLOCKERS_MAX 5
#define IDS_MAX      40 /* characters of an array's elements */

static void add_cause(struct msg_why *w, enum why_class cls, struct wall clears, char *text_taken)
{
    struct why_cause *c = rec_list_push(&w->causes);
    c->cls = cls;
    c->class_name = xstrdup(why_class_name(cls));
    c->text = text_taken;
    c->clears = clears;
}

static void explain_throttle(const struct question *q)
{
    uintptr_t running = (uintptr_t)idmap_get(&q->p->array_running, q->j->array_job);
    if (!q->j->array_job || !q->j->req.array_throttle || running < q->j->req.array_throttle)
        return;
    add_cause(q->w, WHY_ARRAY_THROTTLE, why_throttle_clears(q),
              xasprintf("its array may run %u elements at once and %u run", q->j->req.array_throttle,
                        (uint32_t)running));
}

/* --- who is ahead --- */

static struct rank rank_in_queue(const struct planner *p, const struct group *g, const struct unit *u)
{
    const struct job *j = model_get_job(p->view->model, u->job);
    bool borrow = planner_limit_state(p, g) == LIMIT_OVER_SOFT;
    return rank_of(borrow, g->tier, g->begun, j ? prio_of_best(&p->asking, j) : 0, u->submit_ms,
                   u->order_id, u->order_index);
}

static bool group_uses(const struct group *g, uint32_t lane)
{
    for (uint32_t i = 0; i < g->n_choices; i++)
        if (g->choices[i].lane == lane)
            return true;
    return false;
}

struct row { /* of the queue in a partition */
    uint32_t before, of;
    uint64_t gpus; /* that those before ask for */
};

/* Those that a limit or a licence keeps back are in nobody's way. */
static bool stands_in_row(const struct question *q, const struct group *g, uint32_t lane)
{
    return group_uses(g, lane) && (g == q->u->group || g->rest == REASON_PRIORITY);
}

/* Within a group all after the first one behind are behind. */
static void add_group(const struct question *q, const struct group *g, const struct rank *mine,
                      struct row *ret)
{
    bool before = true;
    list_for_each (u, &g->units, struct unit, in_group) {
        if (u != q->u && (u->reason == REASON_ARRAY_LIMIT || u->reason == REASON_DEPENDENCY))
            continue;
        ret->of += u->count;
        if (before) {
            struct rank its = rank_in_queue(q->p, g, u);
            before = u != q->u && rank_before(&its, mine);
        }
        if (!before)
            continue;
        const struct job *j = model_get_job(q->v->model, u->job);
        ret->before += u->count;
        ret->gpus += j ? (uint64_t)job_gpus(j) * u->count : 0;
    }
}

static void explain_behind(const struct question *q, uint32_t lane)
{
    uint32_t first = q->p->first_blocked ? q->p->first_blocked[lane] : 0;
    first = idmap_get(&q->p->units, first) ? first : 0;
    struct rank mine = rank_in_queue(q->p, q->u->group, q->u);
    struct row row = {0};
    list_for_each (g, &q->p->groups, struct group, link)
        if (stands_in_row(q, g, lane))
            add_group(q, g, &mine, &row);
    if (!q->w->rank) { /* in the first where it could run */
        q->w->rank = row.before + 1;
        q->w->rank_of = row.of;
    }
    struct str b = STR_INIT;
    if (!row.before && first && first != q->j->id)
        str_appendf(&b, "job %u comes first in %s and waits for resources", first,
                    q->v->model->spec.parts.v[lane].name);
    if (b.len)
        add_cause(q->w, WHY_BEHIND, (struct wall){0}, str_take(&b));
    if (!row.before)
        return;
    str_appendf(&b, "%u job%s", row.before, row.before == 1 ? "" : "s");
    if (row.gpus)
        str_appendf(&b, " (%llu GPU%s)", (unsigned long long)row.gpus, row.gpus == 1 ? "" : "s");
    str_appendf(&b, " %s ahead in %s", row.before == 1 ? "is" : "are",
                q->v->model->spec.parts.v[lane].name);
    if (first && first != q->j->id)
        str_appendf(&b, "; the first of them, %u, waits for resources", first);
    add_cause(q->w, WHY_BEHIND, (struct wall){0}, str_take(&b));
}

/* --- what is in the way --- */

struct ender {
    int64_t end;
    uint32_t job;
};

static int by_end(const void *pa, const void *pb)
{
    const struct ender *a = pa, *b = pb;
    if (a->end != b->end)
        return a->end < b->end ? -1 : 1;
    return a->job < b->job ? -1 : a->job > b->job;
}

/* Whether it holds something that is short. */
static bool has_short(const struct refused *r, const struct amount *a)
{
    bool none_short = !r->gpus && !r->cpus && !r->mem;
    return (r->gpus && a->gpus) || (r->cpus && a->cpus) || (r->mem && a->mem_mib) || none_short;
}

static bool is_in_way(const struct runs *r, const struct nodeset *s, const struct refused *short_of)
{
    vec_for_each (&r->v, i)
        for (uint32_t k = 0; k < r->v.v[i]->use.n_parts; k++)
            if (nodeset_has(s, r->v.v[i]->use.parts[k].node) &&
                has_short(short_of, &r->v.v[i]->use.parts[k].amount))
                return true;
    return false;
}

/* The jobs on its nodes that hold what it is short of, those whose limits come first. */
static struct wall add_blockers(const struct question *q, const struct nodeset *s,
                                const struct refused *short_of, struct str *out)
{
    VEC(struct ender) v = VEC_INIT;
    char id[16];
    list_for_each (r, &q->p->running, struct runs, link)
        if (r->v.n && is_in_way(r, s, short_of))
            vec_push(&v, (struct ender){r->v.v[0]->use.end, r->job});
    if (v.n)
        qsort(v.v, v.n, sizeof *v.v, by_end);
    for (size_t i = 0; i < v.n && i < BLOCKERS_MAX; i++) {
        snprintf(id, sizeof id, "%u", v.v[i].job);
        strv_push(&q->w->blockers, id);
    }
    struct wall clears = {0};
    if (v.n && v.v[0].end != WHEN_NEVER) {
        str_appendf(out, "; job %u reaches its limit first", v.v[0].job);
        clears.ms = v.v[0].end;
    } else if (v.n) {
        str_appendf(out, "; job %u runs without a time limit", v.v[0].job);
    }
    vec_fini(&v);
    return clears;
}

static void append_wanted(const struct question *q, uint32_t lane, const char *then, struct str *out)
{
    planner_describe(q->j, q->step, out);
    str_appendf(out, " wanted in %s%s; ", q->v->model->spec.parts.v[lane].name, then);
}

/* " in 2 h": how an instant reads as text is for the client to say, who knows the time zone. */
static void append_when(const struct question *q, int64_t ms, struct str *out)
{
    char buf[UNITS_TEXT_SIZE];
    if (ms > q->now.ms)
        str_appendf(out, " in %s",
                    duration_format_words(wall_elapsed_s(q->now, (struct wall){.ms = ms}), buf));
    else
        str_append(out, " now");
}

static void explain_window(const struct question *q, const struct refused *r)
{
    const struct window *w = r->first_window;
    struct str b = STR_INIT;
    if (!w)
        return;
    str_appendf(&b, "%u node%s kept for %s %s", r->window, r->window == 1 ? " is" : "s are",
                w->kind == WINDOW_MAINTENANCE ? "the maintenance window" : "the reservation", w->name);
    append_when(q, w->start.ms, &b);
    str_append(&b, w->start.ms > q->now.ms ? ": it would not end before that" : "");
    add_cause(q->w, WHY_WINDOW, w->end, str_take(&b));
}

/* Nodes are free, but those for whom a place is held come first. */
static void explain_holds(const struct question *q, const struct backfill_choice *c)
{
    uint32_t n = 0;
    int64_t first = WHEN_NEVER, end = WHEN_NEVER;
    struct str b = STR_INIT;
    list_for_each (h, &q->p->backfill.holds, struct backfill_hold, link)
        for (uint32_t i = 0; i < h->use.n_parts; i++)
            if (h != &q->u->hold && nodeset_has(c->set, h->use.parts[i].node)) {
                uint32_t job = container_of(h, struct unit, hold)->job;
                first = h->use.start < first ? h->use.start : first;
                end = h->use.end < end ? h->use.end : end;
                if (n++ < BLOCKERS_MAX)
                    str_appendf(&b, "%s%u", n == 1 ? "a place is held for job " : ", ", job);
                break;
            }
    if (n > BLOCKERS_MAX)
        str_appendf(&b, " and %u more", n - BLOCKERS_MAX);
    if (n) {
        append_when(q, first, &b);
        str_append(&b, ": it would not have ended by then");
        add_cause(q->w, WHY_BEHIND, (struct wall){.ms = end == WHEN_NEVER ? 0 : end}, str_take(&b));
    }
    str_fini(&b);
}

/* Whether it would end too late there if it started now. */
static bool explain_late(const struct question *q, const struct backfill_choice *c)
{
    int64_t deadline = q->u->group->deadline;
    struct str b = STR_INIT;
    bool endless = c->len_min == WHEN_NEVER; /* it gets what is left until then */
    if (deadline == WHEN_NEVER ||
        (endless ? q->now.ms : when_plus(q->now.ms, c->len_min)) < deadline + !endless)
        return false;
    str_appendf(&b,
                endless ? "there is no time left in %s until its deadline, which is"
                        : "by its time limit in %s it would end after its deadline, which is",
                q->v->model->spec.parts.v[c->lane].name);
    append_when(q, deadline, &b);
    add_cause(q->w, WHY_NOT_ALLOWED, (struct wall){0}, str_take(&b));
    return true;
}

static bool names_limit(const struct msg_why *w)
{
    for (size_t i = 0; i < w->causes.n; i++)
        if (w->causes.v[i].cls == WHY_USER_LIMIT || w->causes.v[i].cls == WHY_GROUP_LIMIT)
            return true;
    return false;
}

/* It would get more there than it has asked for: whole nodes, a share of memory. */
static void explain_limit_there(const struct question *q, uint32_t at, const struct pool_parts *parts)
{
    const struct group *g = q->u->group;
    struct limit_ask ask = g->asks[at];
    struct limit_verdict v;
    struct str b = STR_INIT;
    planner_ask_exactly(parts, g->choices[at].len_min, &ask);
    if (limits_check(q->p->limits, &ask, &v) == LIMIT_OK || names_limit(q->w))
        return;
    limit_text(&v, &b);
    add_cause(q->w, limit_why_class(&v), why_limit_clears(q, &ask, 1), str_take(&b));
}

static void explain_resources(const struct question *q, uint32_t at)
{
    const struct backfill_choice *c = &q->u->group->choices[at];
    struct refused r;
    struct pool_parts parts = {VEC_INIT};
    struct str b = STR_INIT;
    struct wall clears = {0};
    if (explain_late(q, c))
        return;
    bool fits = pool_place(&q->p->pool, c->demand, c->set, q->p->pool.now, c->len_min, &parts);
    if (fits)
        explain_limit_there(q, at, &parts);
    vec_fini(&parts.v);
    if (fits)
        return;
    refused_count(q->p, q->j, q->step, c->lane, false, &r);
    if (r.window)
        explain_window(q, &r);
    if (r.held)
        explain_holds(q, c);
    bool is_free = !refused_is_busy(&r) && !r.out && !r.drained && !r.cards;
    if (is_free && (r.window || r.held))
        return;
    append_wanted(q, c->lane, "", &b);
    refused_text(&r, &b);
    if (r.first_cards && r.first_cards->gpu_notes.n)
        str_appendf(&b, "; on %s: %s", r.first_cards->spec.name, r.first_cards->gpu_notes.v[0]);
    enum why_class cls = refused_is_out(&r)     ? WHY_NODE_OUT
                         : refused_is_cards(&r) ? WHY_FOREIGN_GPU
                                                : WHY_BUSY;
    if (cls == WHY_BUSY)
        clears = add_blockers(q, c->set, &r, &b);
    add_cause(q->w, cls, clears, str_take(&b));
}

static void explain_never(const struct question *q, const struct backfill_choice *c)
{
    struct refused r;
    struct str b = STR_INIT;
    refused_count(q->p, q->j, q->step, c->lane, true, &r);
    append_wanted(q, c->lane, ", not to be had even with every node empty", &b);
    refused_text(&r, &b);
    add_cause(q->w, WHY_NO_FIT, (struct wall){0}, str_take(&b));
}

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
}

/* Over a soft limit in each of its partitions. */
static void explain_borrowing(const struct question *q)
{
    const struct group *g = q->u->group;
    struct limit_verdict v;
    struct str b = STR_INIT;
    if (planner_limit_state(q->p, g) != LIMIT_OVER_SOFT || names_limit(q->w))
        return;
    for (uint32_t i = 0; i < g->n_choices; i++)
        if (limits_check(q->p->limits, &g->asks[i], &v) == LIMIT_OVER_SOFT)
            break;
    limit_text(&v, &b);
    str_append(&b, ": it comes behind all who are within theirs, and nobody goes for it");
    add_cause(q->w, limit_why_class(&v), (struct wall){0}, str_take(&b));
}

static void explain_queue(const struct question *q)
{
    const struct group *g = q->u->group;
    bool ever = false;
    for (uint32_t i = 0; i < g->n_choices; i++)
        ever = planner_could_ever(q->p, g->shapes[i]) || ever;
    if (!ever) {
        for (uint32_t i = 0; i < g->n_choices; i++)
            explain_never(q, &g->choices[i]);
        return;
    }
    for (uint32_t i = 0; i < g->n_choices; i++)
        if (planner_could_ever(q->p, g->shapes[i]))
            explain_behind(q, g->choices[i].lane);
    uint32_t other = planner_makes_way_for(q->p, q->u);
    if (other)
        add_cause(q->w, WHY_COOLDOWN, (struct wall){.ms = q->u->makes_way_until},
                  xasprintf("it has gone so that job %u can start, which has not begun yet", other));
    set_own_aside(q, true);
    for (uint32_t i = 0; i < g->n_choices; i++)
        if (planner_could_ever(q->p, g->shapes[i]))
            explain_resources(q, i);
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
    else if (f.kind == FORECAST_BEYOND && q->u->group->deadline != WHEN_NEVER) {
        w->start_basis = xstrdup("by the time limits of the jobs ahead it cannot end before its deadline");
    } else if (f.kind == FORECAST_BEYOND) {
        char buf[UNITS_TEXT_SIZE];
        w->start_basis =
            xasprintf("not within the next %s", duration_format_words(q->v->model->spec.window_s, buf));
    }
}

/* Beside what else keeps it back: it has run already. */
static void explain_restarts(const struct question *q)
{
    if (q->w->causes.n && q->j->restarts && q->j->hold == HOLD_NONE)
        add_cause(q->w, WHY_LAUNCH_RETRY, (struct wall){0},
                  xasprintf("it was started %u time%s and queued again; it starts again by itself",
                            q->j->restarts, q->j->restarts == 1 ? "" : "s"));
}

static void summarise(const struct question *q)
{
    struct msg_why *w = q->w;
    struct str b = STR_INIT;
    char *id = job_format_id(q->j, IDS_MAX);
    str_appendf(&b, "job %s waits: %s", id, w->causes.v[0].text);
    free(id);
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
        ret->summary = xasprintf("job %u does not wait: it is %s", j->id, job_state_long(j->state));
        return;
    }
    planner_ready(p, v, now);
    q.u = idmap_get(&p->units, j->id);
    q.step = j->kind == JOB_KIND_STEPS ? planner_waiting_step(j, &tasks) : NULL;
    ret->reason = planner_reason(p, j->id);
    struct sched_view mine = *v; /* what is held is what the planner has counted */
    mine.limits = p->limits;
    gate_explain(&mine, j, now, ret);
    why_date_gates(&q);
    explain_throttle(&q);
    if (q.u && q.u->group) {
        prio_ctx_init(&p->asking, v, now);
        limits_begin(p->limits, v->model, now);
        explain_queue(&q);
        add_forecast(&q);
        why_date_turn(&q);
        prio_ctx_fini(&p->asking);
    }
    explain_restarts(&q);
    if (!ret->causes.n) { /* the next pass, at the end of this turn, looks at it */
        add_cause(ret, WHY_BEHIND, now, xstrdup("it fits now and starts with the next pass"));
        ret->start_est = now;
        free(ret->start_basis); /* of a forecast that is older */
        ret->start_basis = xstrdup("free resources");
    }
    summarise(&q);
    advice_find(p, v, j, now, ret);
}
