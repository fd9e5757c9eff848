/* cycle_iterations.c - an iteration tries each class once; iterations follow until no more is freed. */
#include <stdlib.h>
#include <string.h>

#include "backend/sched/cycle/cycle_internal.h"

#define ITERATIONS_MAX 4  /* of a stage; what is left follows in the next cycle, at once */
#define ITEM_COST      40 /* what an item costs by itself, in nodes looked at */
#define KEEP_COST      4  /* to stay in the row */
#define LINE_UP_COST   20 /* and to stand in the row */
#define SHAPES_AT_ONCE 2000

/* In the first iteration each class, then those that were not passed over. */
static struct job_class *cycle_next_to_line_up(struct cycle *s)
{
    if (s->p->row.known)
        return cycle_row_next_other(s);
    if (s->at_class == &s->p->queue.classes.list)
        return NULL;
    struct job_class *g = container_of(s->at_class, struct job_class, link);
    s->at_class = s->at_class->next;
    return g;
}

/* Puts the next class into the heap; after the last one the heap is ordered. Returns whether there was
 * one. */
static bool cycle_line_up_one(struct cycle *s)
{
    struct planner *p = s->p;
    if (cycle_row_place_some(s))
        return true;
    struct job_class *g = cycle_next_to_line_up(s);
    if (!g) {
        cycle_heap_order(s);
        return false;
    }
    g->rest.now = REASON_PRIORITY;
    g->rest.promised_to = 0;
    cycle_row_touch(s, g);
    cycle_make_room(s, g->n_choices);
    for (uint32_t e = 0; e < g->n_tiers; e++) {
        g->tiers[e].cursor = &g->entries;
        if (cycle_heap_advance(p, g, e))
            vec_push(&s->heap, cycle_item_of(g, e, false));
    }
    p->queue.pool.cost += LINE_UP_COST;
    return true;
}

static void cycle_take_item(struct cycle *s, struct cycle_item t)
{
    struct planner *p = s->p;
    struct pending_entry *u = cycle_item_head(t.g, t.tier_at);
    enum passed passed = NOT_PASSED;
    enum outcome o = ENTRY_WAITS;
    p->queue.pool.cost += ITEM_COST;
    /* All of it has started in another tier; or an event has named it: its turn is in the next cycle, until
     * then its planned start stays. */
    if (u->count && u->noted)
        plan_slots_visit(&p->queue.slots, &u->slot);
    else if (u->count && (passed = cycle_pass_over(s, &t)) == NOT_PASSED) {
        if (cycle_is_candidate(s, &t, u)) {
            cycle_row_add_other(s, t.g); /* its place in the row would be another one */
            cycle_heap_push(s, cycle_candidate_of(s, &t, u));
            return;
        }
        o = cycle_try_head(s, &t);
    }
    if (passed != NOT_PASSED)
        cycle_row_add_passed(s, &t, passed);
    else
        cycle_row_add_other(s, t.g);
    if (passed == PASSED_AGAIN)
        cycle_heap_push(s, cycle_item_of(t.g, t.tier_at, true));
    else if (passed == NOT_PASSED &&
             (o == CLASS_GOES_ON || (o == ENTRY_WAITS && cycle_heap_advance(p, t.g, t.tier_at))))
        cycle_heap_push(s, cycle_item_of(t.g, t.tier_at, t.borrow));
}

/* Takes the first in the queue. False: there is none. */
static bool cycle_take_first(struct cycle *s)
{
    struct passed_item *x = cycle_row_peek(s);
    if (!x && !s->heap.n)
        return false;
    if (!x || (s->heap.n && queue_key_before(&s->heap.v[0].key, &x->key)))
        cycle_take_item(s, cycle_heap_pop(s));
    else if (!cycle_row_holds(s, x))
        cycle_take_item(s, cycle_row_take(s));
    else {
        cycle_row_keep(s);
        s->p->queue.pool.cost += KEEP_COST;
    }
    return true;
}

/* Drops slots of entries whose turn did not come. */
static void cycle_give_up_unvisited(struct planner *p)
{
    list_for_each (h, &p->queue.slots.list, struct plan_slot, link) {
        bool is_awaited =
            h->by_preemption && h->use.start > p->queue.now.ms; /* its victims are on their way out */
        if (h->visited != p->queue.slots.iteration && !is_awaited)
            plan_slots_drop(&p->queue.slots, h);
    }
}

/* Entries that were tried in the last iteration may have another reason now. */
static void cycle_forget_tried(struct planner *p)
{
    vec_for_each (&p->tried, i) {
        struct pending_entry *u = idmap_get(&p->queue.entries.by_job, p->tried.v[i]);
        if (!u || u->reason == REASON_NONE)
            continue;
        u->reason = REASON_NONE;
        vec_push(&p->queue.entries.moved, u->job); /* to be told */
    }
    vec_clear(&p->tried);
}

static void cycle_forget_unfit(struct planner *p)
{
    idmap_for_each (&p->queue.classes.shapes, slot)
        for (struct request_shape *sh = slot->value; sh; sh = sh->next)
            sh->unfit = false;
}

/* Entries with an end of their own: their shape is not marked unfit, since only they may not fit. */
static bool cycle_entry_could_use_freed(const struct planner *p, uint64_t mark)
{
    vec_for_each (&p->tried, i) {
        const struct pending_entry *u = idmap_get(&p->queue.entries.by_job, p->tried.v[i]);
        const struct job_class *g = u ? u->class : NULL;
        if (!g || !u->count || u->slot.use.parts || (g->deadline == WHEN_NEVER && !g->ends))
            continue;
        for (uint32_t k = 0; k < g->n_choices; k++)
            if (plan_slots_freed_since(&p->queue.slots, mark, g->choices[k].demand, g->choices[k].set))
                return true;
    }
    return false;
}

/* Entries with a planned start. */
static bool cycle_booked_could_use_freed(const struct planner *p)
{
    list_for_each (h, &p->queue.slots.list, struct plan_slot, link) {
        const struct job_class *g = container_of(h, struct pending_entry, slot)->class;
        for (uint32_t i = 0; i < g->n_choices; i++)
            if (plan_slots_freed_since(&p->queue.slots, h->mark, NULL, g->choices[i].set))
                return true;
    }
    return false;
}

/* Entries whose shape did not fit, by shape if these are few. */
static bool cycle_shape_could_use_freed(struct planner *p)
{
    idmap_for_each (&p->queue.classes.shapes, slot)
        for (struct request_shape *sh = slot->value; sh; sh = sh->next)
            if (sh->unfit && !cycle_shape_is_unfit(p, sh))
                return true;
    return false;
}

static bool cycle_class_could_use_freed(struct planner *p, const struct job_class *g)
{
    bool any = false;
    for (uint32_t i = 0; i < g->n_choices; i++)
        any = (g->shapes[i]->unfit && !cycle_shape_is_unfit(p, g->shapes[i])) || any;
    return any;
}

static void cycle_iteration_begin(struct cycle *s)
{
    struct planner *p = s->p;
    cycle_forget_tried(p);
    memset(p->first_blocked, 0, p->queue.nodes.n_parts * sizeof *p->first_blocked);
    plan_slots_begin(&p->queue.slots, p->queue.changes.freed_anywhere);
    if (p->queue.changes.lost)
        plan_slots_invalidate(&p->queue.slots);
    if (p->queue.changes.freed_anywhere) {
        cycle_forget_unfit(p);
        cycle_row_forget(p);
    }
    cycle_promises_begin(p);
    s->freed = p->queue.slots.n_dropped;
    s->mark = plan_slots_freed_mark(&p->queue.slots);
    s->asked = p->out->preempts.n;
    p->preempt.search_pays = false;
    p->queue.changes.freed = p->queue.changes.freed_anywhere = p->queue.changes.lost = false;
    vec_clear(&s->heap);
    cycle_row_begin(s);
    s->at_class = p->queue.classes.list.next;
    s->iteration = ITERATION_LINES_UP;
}

/* All items had their turn. */
static void cycle_iteration_settle(struct cycle *s)
{
    struct planner *p = s->p;
    vec_for_each (&s->heap, i) { /* their turn did not come */
        cycle_item_head(s->heap.v[i].g, s->heap.v[i].tier_at)->reason = REASON_NONE;
        cycle_row_add_other(s, s->heap.v[i].g);
    }
    vec_clear(&s->heap);
    while (cycle_row_peek(s))
        cycle_row_keep(s);
    cycle_give_up_unvisited(p);
    extra_slots_sweep(&p->preempt);
    /* A victim ends sooner than was planned. */
    bool allowed_more = preemptor_charges_sweep(&p->preempt);
    if (allowed_more)
        cycle_row_check_limits(p);
    p->queue.changes.freed =
        allowed_more || s->asked != p->out->preempts.n || s->made_way || p->queue.slots.again;
    s->at_slot = p->queue.slots.list.next;
    s->iteration = ITERATION_CHECKS;
}

/* Checks the next planned start. False: there is none. */
static bool cycle_check_one(struct cycle *s)
{
    struct planner *p = s->p;
    if (s->at_slot == &p->queue.slots.list)
        return false;
    struct plan_slot *h = container_of(s->at_slot, struct plan_slot, link);
    s->at_slot = s->at_slot->next;
    p->queue.changes.freed = cycle_drop_ineligible(s, h) || p->queue.changes.freed;
    p->queue.pool.cost += CHECK_COST;
    return true;
}

/* Another iteration is needed if a slot was dropped that could be of use to an entry that had its turn
 * before: p->queue.changes.freed. If nothing else has set it, one class after the other is checked. */
static void cycle_iteration_end(struct cycle *s)
{
    struct planner *p = s->p;
    s->had_iteration = true;
    s->made_way = false;
    bool freed = s->freed != p->queue.slots.n_dropped;
    bool few = p->queue.classes.shapes.n <= SHAPES_AT_ONCE;
    if (!p->queue.changes.freed && freed)
        p->queue.changes.freed = cycle_entry_could_use_freed(p, s->mark) ||
                                 cycle_booked_could_use_freed(p) || (few && cycle_shape_could_use_freed(p));
    s->at_passed = !p->queue.changes.freed && freed && !few ? 0 : SIZE_MAX;
    s->iteration = ITERATION_ENDS;
}

/* One class after the other: those that were passed over, then the others. */
static void cycle_ask_one(struct cycle *s)
{
    struct planner *p = s->p;
    const struct row_part *row = &p->row.next;
    size_t at = s->at_passed++, n = row->passed.n;
    struct passed_item *x = at < n ? &row->passed.v[at] : NULL;
    const struct job_class *g = NULL;
    p->queue.pool.cost += KEEP_COST;
    if (x && x->why != PASSED_AGAIN && cycle_row_gain(p, x) == MAY_FIT)
        g = x->g;
    else if (at >= n && at - n < row->others.n)
        g = class_numbered(&p->queue, row->others.v[at - n]);
    if (g) {
        p->queue.changes.freed = cycle_class_could_use_freed(p, g);
        p->queue.pool.cost += LINE_UP_COST + p->queue.slots.freed_log.n / 16;
    }
    if (x && p->queue.changes.freed)
        x->mark = MARK_NONE;
    else if (x && g)
        cycle_row_gained_nothing(p, x);
    if (p->queue.changes.freed || at + 1 >= n + row->others.n)
        s->at_passed = SIZE_MAX;
}

static bool cycle_may_preempt(const struct planner *p)
{
    bool anybody = !list_empty(&p->queue.active.candidates) || !list_empty(&p->queue.active.leaving);
    return anybody && (p->preempt.search_pays || p->queue.active.started.n);
}

/* To what follows a iteration. */
static void cycle_move_on(struct cycle *s, bool again)
{
    s->iterations++;
    if (s->stage != CYCLE_PREEMPTS && again && s->iterations < ITERATIONS_MAX)
        return;
    if (s->stage == CYCLE_SETTLES && cycle_may_preempt(s->p))
        s->stage = CYCLE_PREEMPTS;
    else if (s->stage == CYCLE_PREEMPTS && again)
        s->stage = CYCLE_SETTLES_AGAIN;
    else
        s->stage = CYCLE_IS_DONE;
    s->iterations = 0;
    s->p->preempt.searching = s->stage == CYCLE_PREEMPTS;
    if (s->p->preempt.searching) {
        s->sure_starts = s->out.starts.n;
        s->sure_places = s->out.places.n;
    }
}

/* A part of an iteration, to an end between two classes or items. Returns whether the iteration is over. */
static bool cycle_iterate(struct cycle *s)
{
    switch (s->iteration) {
    case ITERATION_NONE: cycle_iteration_begin(s); break;
    case ITERATION_LINES_UP:
        if (!cycle_line_up_one(s))
            s->iteration = ITERATION_ITEMS;
        break;
    case ITERATION_ITEMS:
        if (plan_slots_are_closed(&s->p->queue.slots) || !cycle_take_first(s))
            cycle_iteration_settle(s);
        break;
    case ITERATION_CHECKS:
        if (!cycle_check_one(s))
            cycle_iteration_end(s);
        break;
    case ITERATION_ENDS:
        if (s->at_passed != SIZE_MAX) {
            cycle_ask_one(s);
            break;
        }
        s->iteration = ITERATION_NONE;
        return true;
    }
    return false;
}

bool cycle_go_on(struct cycle *s, uint64_t cost)
{
    uint64_t from = s->p->queue.pool.cost, left = cost;
    if (s->stage == CYCLE_PRIORITIES) {
        if (!priorities_update_some(&s->p->queue, &left))
            return false;
        s->stage = CYCLE_SETTLES;
        cost = left;
    }
    while (s->stage != CYCLE_IS_DONE) {
        if (s->p->queue.pool.cost - from >= cost)
            return false;
        if (cycle_iterate(s))
            cycle_move_on(s, s->p->queue.changes.freed);
    }
    return true;
}

struct cycle *cycle_new(struct planner *p)
{
    struct cycle *s = xcalloc(1, sizeof *s);
    s->p = p;
    s->now = p->queue.now;
    sched_result_init(&s->out);
    return s;
}

void cycle_free(struct cycle *s)
{
    if (!s)
        return;
    vec_fini(&s->heap);
    placement_fini(&s->place);
    free(s->choices);
    free(s->positions);
    sched_result_fini(&s->out);
    free(s);
}
