/* cycle_expected.c - run times that are expected, in backfill: the order of the candidates, and starts that
 * time limits alone would not allow.
 *
 * A candidate is a job for which no start is planned and for which its partitions have no slot left. In
 * which order candidates are tried takes nothing from a planned start: each must fit beside all of them.
 */
#include "backend/sched/cycle/cycle_internal.h"

#define BEHIND_ALL (INT64_C(1) << 62) /* in a queue key: behind every submission */
#define BRIEFLY_MS 1000

static int64_t expected_limit(const struct job_class *g, uint32_t tier_at)
{
    return g->choices[g->tiers[tier_at].first].len;
}

/* False: it is not known. */
static bool expected_run(struct planner *p, struct pending_entry *u, struct run_time *ret)
{
    return p->queue.slots.opts.predicts && !u->class->begun && !u->chosen &&
           run_times_predict(p->forecast.runs, forecast_key_of(&p->forecast, u), ret);
}

bool cycle_is_expected_earlier(struct planner *p, const struct job_class *g, struct pending_entry *u)
{
    struct run_time run;
    return p->queue.slots.opts.keep && g->deadline == WHEN_NEVER && expected_run(p, u, &run) &&
           run.most_ms < expected_limit(g, 0);
}

/* --- the order of the candidates --- */

bool cycle_is_candidate(struct cycle *s, const struct cycle_item *t, const struct pending_entry *u)
{
    struct planner *p = s->p;
    if (!p->queue.slots.opts.shortest || t->is_candidate || t->g->begun || u->slot.use.parts ||
        u->extra.n || u->chosen || u->made_way_for || s->stage == CYCLE_PREEMPTS)
        return false;
    struct plan_request it = cycle_plan_request(t->g, t->tier_at);
    it.came = u->came;
    it.job = u->job;
    return !plan_slots_may_book(&p->queue.slots, &it);
}

struct cycle_item cycle_candidate_of(struct cycle *s, const struct cycle_item *t, struct pending_entry *u)
{
    struct cycle_item late = *t;
    struct run_time run;
    int64_t len = expected_limit(t->g, t->tier_at);
    uint32_t prio = (uint32_t)t->key.first;
    if (expected_run(s->p, u, &run) && run.mean_ms < len)
        len = run.mean_ms;
    len = len < BEHIND_ALL ? len : BEHIND_ALL - 1;
    late.is_candidate = true;
    late.key.first = t->key.first & ~(uint64_t)UINT32_MAX;
    late.key.then_ms = BEHIND_ALL + len;
    late.key.last = (uint64_t)(UINT32_MAX - prio) << 32 | u->order_id;
    return late;
}

/* --- starts by the time that is expected --- */

struct expecting {
    struct cycle *s;
    struct plan_choice choice; /* of the slot that is asked about */
};

static bool expecting_request(void *ctx, struct plan_slot *h, struct plan_request *ret)
{
    struct expecting *x = ctx;
    const struct planner *p = x->s->p;
    struct pending_entry *w = container_of(h, struct pending_entry, slot);
    const struct job_class *g = w->class;
    if (!g || w->noted || w->extra.n || g->begun)
        return false;
    for (uint32_t i = 0; i < g->n_choices; i++) {
        if (g->choices[i].partition != h->partition)
            continue;
        *ret = cycle_plan_request(g, h->tier_at);
        x->choice = g->choices[i];
        ret->choices = &x->choice;
        ret->n_choices = 1;
        ret->came = w->came;
        ret->job = w->job;
        return !active_is_awaited(&p->queue, w->job);
    }
    return false;
}

static bool expecting_stands(void *ctx, struct plan_slot *h)
{
    struct expecting *x = ctx;
    const struct planner *p = x->s->p;
    const struct pending_entry *w = container_of(h, struct pending_entry, slot);
    return (!limits_any(p->queue.limits) && !w->class->licensed) || cycle_promise_holds(x->s, w);
}

bool cycle_start_expected(struct cycle *s, const struct cycle_item *t, struct pending_entry *u,
                          const struct plan_request *it)
{
    struct planner *p = s->p;
    struct run_time run;
    struct expecting x = {.s = s};
    if (!p->queue.slots.opts.keep || s->stage != CYCLE_SETTLES || t->borrow || u->slot.use.parts ||
        u->extra.n || it->ends || !expected_run(p, u, &run))
        return false;
    struct plan_yield y = {
        .expected = run.most_ms, .request = expecting_request, .stands = expecting_stands, .ctx = &x};
    return plan_slots_start_expected(&p->queue.slots, it, &y, &s->place);
}

bool cycle_fits_briefly(struct planner *p, const struct plan_request *it)
{
    struct plan_slots *b = &p->queue.slots;
    return b->opts.predicts && b->opts.keep && plan_slots_fits_for(b, it, BRIEFLY_MS);
}
