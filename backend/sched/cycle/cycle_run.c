/* cycle_run.c - one scheduling cycle, in slices: take in what was noted; decide about new jobs alone if
 * nothing else has changed, else about all pending entries; report changed reasons.
 *
 * docs/SCHEDULER.md has the order of a cycle and what happens to events between its slices.
 */
#include <stdlib.h>

#include "backend/sched/cycle/cycle_internal.h"

#define REPORT_COST   5 /* of a class, in nodes looked at */
#define ABANDONED_MAX 2 /* in a row: the next cycle is not sliced */

static int64_t cycle_earlier(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static int64_t cycle_later(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

/* When something changes although nothing happens. */
static int64_t cycle_next_look(const struct planner *p)
{
    int64_t next = plan_slots_next(&p->queue.slots);
    const struct heap_node *h = heap_peek(&p->queue.entries.wakes);
    next = h ? cycle_earlier(next, h->key) : next;
    h = list_empty(&p->queue.classes.list) ? NULL : heap_peek(&p->queue.active.exempt);
    next = h ? cycle_earlier(next, h->key) : next;
    vec_for_each (&p->queue.windows, i) {
        const struct window_use *w = p->queue.windows.v[i];
        next = w->start > p->queue.now.ms ? cycle_earlier(next, w->start) : next;
        next = w->end > p->queue.now.ms ? cycle_earlier(next, w->end) : next;
    }
    if (p->preempt.searches_left || p->pace.reports_left)
        next =
            cycle_earlier(next, cycle_later(p->pace.full_cycle_ms + SEARCH_AGAIN_MS, p->queue.now.ms + 1));
    if (p->preempt.search_again > p->queue.now.ms)
        next = cycle_earlier(next, p->preempt.search_again);
    if (p->queue.changes.freed)
        return p->queue.now.ms + 1;
    return next > p->queue.now.ms ? next : p->queue.now.ms + 1000; /* it should have been free by now */
}

static void cycle_set_out(struct planner *p, struct sched_result *out)
{
    p->out = p->preempt.out = out;
}

static void cycle_begin(struct planner *p)
{
    planner_sync(p); /* it may rebuild the queue */
    struct cycle *s = p->cycle = cycle_new(p);
    cycle_set_out(p, &s->out);
    limits_begin(p->queue.limits, p->queue.view->model, p->queue.now);
    s->limits_mark = limits_mark(p->queue.limits);
    p->queue.cycle_no++;
    preemptor_charges_begin(&p->preempt);
    active_find_awaited(&p->queue);
    p->preempt.searching = false;
    s->all = !cycle_take_new(s);
    if (!s->all) {
        s->stage = CYCLE_IS_DONE;
        return;
    }
    p->pace.full_cycle_ms = p->queue.now.ms;
    p->preempt.searches_left = false;
    p->preempt.search_cost = 0;
}

/* Reports jobs that were tried themselves. Returns the cost that is left; 0: not all are reported. */
static uint64_t cycle_report_some_tried(struct planner *p, uint64_t cost)
{
    for (;;) {
        uint64_t from = p->queue.pool.cost;
        if (!cycle_report_tried(p, &p->cycle->at_tried))
            return cost;
        uint64_t gone = p->queue.pool.cost - from + REPORT_COST;
        if (gone >= cost)
            return 0;
        cost -= gone;
    }
}

/* All is decided: reports changed reasons. Returns whether all are reported. */
static bool cycle_report_some(struct planner *p, uint64_t cost)
{
    struct cycle *s = p->cycle;
    if (!s->reports) {
        s->reports = true;
        s->report_cost = REPORT_COST_MAX;
        if (s->all)
            cycle_row_order_touched(p);
        p->pace.reports_left = p->pace.reports_left && !s->all;
    }
    cost = cycle_report_some_tried(p, cost ? cost : 1);
    size_t n = s->all ? p->row.touched.n : 0;
    for (uint64_t k = cost ? cost / REPORT_COST + 1 : 0; k && s->at_touched < n; k--)
        cycle_report_class(p, class_numbered(&p->queue, p->row.touched.v[s->at_touched++]),
                           &s->report_cost);
    if (s->without_windows)
        cycle_report_pause(p);
    return cost && s->at_touched == n;
}

/* For the cycles that look at new jobs alone. */
static void cycle_note_victims_gone(struct planner *p)
{
    list_for_each (h, &p->queue.slots.list, struct plan_slot, link) {
        struct pending_entry *u = container_of(h, struct pending_entry, slot);
        u->victims_gone = h->by_preemption && !active_is_awaited(&p->queue, u->job);
    }
}

static void cycle_finish(struct planner *p)
{
    struct cycle *s = p->cycle;
    if (s->all) {
        cycle_note_victims_gone(p);
        cycle_row_forget_reported(p);
    }
    plan_slots_promise(&p->queue.slots);
    vec_clear(&p->queue.entries.moved);
    vec_clear(&p->queue.entries.fresh);
    limits_rewind(p->queue.limits, s->limits_mark);
    int64_t next = cycle_next_look(p);
    s->out.next = next == WHEN_NEVER ? (struct wall){0} : (struct wall){.ms = next};
}

/* Continues where it stopped, as of the time when it began. */
static bool cycle_slice(struct planner *p, const struct sched_view *v, uint64_t cost)
{
    struct cycle *s = p->cycle;
    p->queue.view = v;
    p->queue.now = s->now;
    cycle_set_out(p, &s->out);
    uint64_t from = p->queue.pool.cost;
    bool done = s->reports || cycle_go_on(s, cost);
    uint64_t gone = p->queue.pool.cost - from;
    done = done && cycle_report_some(p, gone < cost ? cost - gone : 0);
    if (done)
        cycle_finish(p);
    cycle_set_out(p, NULL);
    return done;
}

/* --- what happens while it is under way --- */

/* Drops all that it has decided; the next cycle looks at everything. */
static void cycle_abandon(struct planner *p)
{
    limits_rewind(p->queue.limits, p->cycle->limits_mark);
    cycle_set_out(p, &p->cycle->out);
    cycle_unreport(p);
    cycle_set_out(p, NULL);
    priorities_drop_update(&p->queue);
    cycle_row_forget(p);
    p->preempt.searching = false;
    p->queue.changes.freed = p->queue.changes.freed_anywhere = p->queue.changes.lost = true;
    p->pace.abandoned++;
    cycle_free(p->cycle);
    p->cycle = NULL;
}

bool cycle_goes_on(struct planner *p, const struct sched_view *v)
{
    bool overtaken = p->queue.notes.all || p->queue.notes.nodes || p->queue.notes.windows ||
                     v->model->n_nodes != p->queue.pool.n_nodes;
    if (p->cycle && overtaken)
        cycle_abandon(p);
    return p->cycle != NULL;
}

static bool cycle_is_noted(const struct planner *p, uint32_t job)
{
    const struct pending_entry *u = idmap_get(&p->queue.entries.by_job, job);
    const struct active_job *r = idmap_get(&p->queue.active.by_job, job);
    return (u && u->noted) || (r && r->noted);
}

/* Otherwise it has started after all, in a slot that was dropped, or a job of a higher tier has taken its
 * slot: the victim was of no use to it. */
static bool cycle_has_preemptor_slot(const struct planner *p, uint32_t job)
{
    const struct pending_entry *u = idmap_get(&p->queue.entries.by_job, job);
    return u && u->slot.use.parts && u->slot.by_preemption;
}

/* Takes useless preemptions back, and with them all that was decided since the first preemption, which may
 * depend on them. The next cycle, at once, decides without them. */
static bool cycle_take_back_useless(struct planner *p, struct cycle *s)
{
    struct sched_result *r = &s->out;
    bool any = false;
    vec_for_each (&r->preempts, i)
        if (!cycle_has_preemptor_slot(p, r->preempts.v[i].by_job)) {
            preempt_note_useless(&p->preempt, r->preempts.v[i].by_job);
            any = true;
        }
    if (!any)
        return false;
    list_for_each (h, &p->queue.slots.list, struct plan_slot, link) {
        struct pending_entry *u = container_of(h, struct pending_entry, slot);
        if (h->by_preemption && u->victims_found == p->queue.cycle_no) {
            extra_slots_drop(&p->queue, u);
            plan_slots_drop(&p->queue.slots, h);
        }
    }
    vec_for_each (&r->preempts, i)
        cause_clear(&r->preempts.v[i].why);
    vec_clear(&r->preempts);
    while (r->starts.n > s->sure_starts)
        rec_fini(&ev_start_rec, &r->starts.v[--r->starts.n].start);
    while (r->places.n > s->sure_places)
        rec_fini(&ev_place_rec, &r->places.v[--r->places.n].place);
    return true;
}

/* Drops decisions about jobs that events have named since. Returns whether there were any. */
static bool cycle_drop_noted(const struct planner *p, struct sched_result *r)
{
    size_t starts = 0, places = 0, preempts = 0;
    size_t before = r->starts.n + r->places.n + r->preempts.n;
    vec_for_each (&r->starts, i)
        if (cycle_is_noted(p, r->starts.v[i].job))
            rec_fini(&ev_start_rec, &r->starts.v[i].start);
        else
            r->starts.v[starts++] = r->starts.v[i];
    vec_for_each (&r->places, i)
        if (cycle_is_noted(p, r->places.v[i].job))
            rec_fini(&ev_place_rec, &r->places.v[i].place);
        else
            r->places.v[places++] = r->places.v[i];
    vec_for_each (&r->preempts, i) {
        struct sched_preempt *v = &r->preempts.v[i];
        if (cycle_is_noted(p, v->job) || cycle_is_noted(p, v->by_job))
            cause_clear(&v->why);
        else
            r->preempts.v[preempts++] = *v;
    }
    r->starts.n = starts;
    r->places.n = places;
    r->preempts.n = preempts;
    return starts + places + preempts != before;
}

/* --- from outside --- */

bool planner_is_in_cycle(const struct planner *p)
{
    return p->cycle != NULL;
}

bool planner_cycle_slice(struct planner *p, const struct sched_view *v, struct wall now, uint32_t cost,
                         struct sched_result *ret)
{
    if (p->cycle && !cycle_goes_on(p, v))
        return false;
    p->queue.view = v;
    if (!p->cycle) {
        p->queue.now = now;
        cycle_begin(p);
    }
    if (!cycle_slice(p, v, p->pace.abandoned < ABANDONED_MAX ? cost : UINT64_MAX))
        return false;
    struct cycle *s = p->cycle;
    p->cycle = NULL;
    p->pace.abandoned = 0;
    bool useless = cycle_take_back_useless(p, s);
    if (cycle_drop_noted(p, &s->out) || useless) {
        p->queue.changes.freed = true;
        s->out.next = (struct wall){.ms = now.ms + 1};
    }
    *ret = s->out;
    sched_result_init(&s->out);
    cycle_free(s);
    return true;
}

void planner_cycle(struct planner *p, const struct sched_view *v, struct wall now, struct sched_result *ret)
{
    while (!planner_cycle_slice(p, v, now, UINT32_MAX, ret))
        continue;
}

void sched_cycle_once(const struct sched_view *v, struct wall now, struct sched_result *ret)
{
    struct planner *p = planner_new();
    planner_cycle(p, v, now, ret);
    planner_free(p);
}
