/* cycle_row.c - the classes that were passed over, in the order of the queue.
 *
 * A cycle goes over the queue several times, and each time passes most classes of a long queue over, for
 * the same reason. An iteration walks along this row, where two cache lines say whether the reason still
 * holds, and lines up only the other classes. It writes the row of the next one, in order, because items
 * are taken in order. cycle_row_keep.c brings the row from one cycle to the next.
 *
 *     a limit or a licence keeps it back    until a counter changes, or something of the licences
 *     over a soft limit: it comes again     the same
 *     its shape is unfit, and a search for  while no node comes free that has what it needs at least, its
 *     victims would be futile               partition has no slot left, and no search is asked for that
 *                                           has not been judged
 *
 * Only the first iteration of a cycle asks about limits, and one after which they may allow more.
 */
#include "backend/sched/cycle/cycle_internal.h"

static struct row_mark *cycle_row_mark(struct planner *p, uint32_t number)
{
    struct cycle_row *r = &p->row;
    while (r->marks.n <= number)
        vec_push(&r->marks, ((struct row_mark){0}));
    return &r->marks.v[number];
}

void cycle_row_begin(struct cycle *s)
{
    struct cycle_row *r = &s->p->row;
    struct row_part last = r->now;
    r->now = r->next;
    r->next = last;
    vec_clear(&r->next.passed);
    vec_clear(&r->next.others);
    r->at = r->other_at = 0;
    r->known = r->complete;
    r->complete = true;
    r->placed = SIZE_MAX;
    r->checks = r->checks_next || !s->has_begun;
    r->checks_next = false;
    if (!s->has_begun)
        cycle_row_resume(s);
    s->has_begun = true;
}

void cycle_row_forget(struct planner *p)
{
    p->row.complete = false;
}

void cycle_row_check_limits(struct planner *p)
{
    p->row.checks_next = true;
}

struct job_class *cycle_row_next_other(struct cycle *s)
{
    struct cycle_row *r = &s->p->row;
    if (r->other_at == r->now.others.n)
        return NULL;
    struct job_class *g = class_numbered(&s->p->queue, r->now.others.v[r->other_at++]);
    cycle_row_mark(s->p, g->number)->lined_up_in = s->p->queue.slots.iteration;
    return g;
}

void cycle_row_add_other(struct cycle *s, struct job_class *g)
{
    if (g->tried_in == s->p->queue.slots.iteration)
        return;
    g->tried_in = s->p->queue.slots.iteration;
    vec_push(&s->p->row.next.others, g->number);
}

/* When the oldest of its shapes that are unfit was looked at. */
static uint64_t cycle_row_mark_of(const struct planner *p, const struct job_class *g, uint32_t tier_at)
{
    const struct class_tier *e = &g->tiers[tier_at];
    uint64_t mark = plan_slots_freed_mark(&p->queue.slots);
    for (uint32_t i = e->first; i < e->first + e->n; i++)
        if (g->shapes[i]->unfit && g->shapes[i]->unfit_mark < mark)
            mark = g->shapes[i]->unfit_mark;
    return mark;
}

static uint32_t cycle_row_min(int64_t a, uint32_t b)
{
    return a < b ? (uint32_t)a : b;
}

/* What a node must have at least for any of these choices, so that one comparison does for all. */
static void cycle_row_set_choices(const struct class_tier *e, const struct job_class *g,
                                  struct passed_item *x)
{
    x->n_partitions = (uint8_t)e->n;
    x->request = g->requests[e->first];
    x->least_cpus = x->least_gpus = UINT32_MAX;
    x->least_mem_mib = INT64_MAX;
    for (uint32_t i = 0; i < e->n; i++) {
        const struct plan_choice *c = &g->choices[e->first + i];
        struct amount least = pool_least_of(c->demand);
        x->partitions[i] = (uint16_t)c->partition;
        x->least_cpus = cycle_row_min(least.cpus, x->least_cpus);
        x->least_gpus = cycle_row_min(least.gpus, x->least_gpus);
        x->least_mem_mib = least.mem_mib < x->least_mem_mib ? least.mem_mib : x->least_mem_mib;
    }
}

void cycle_row_add_passed(struct cycle *s, const struct cycle_item *t, enum passed why)
{
    struct planner *p = s->p;
    const struct class_tier *e = &t->g->tiers[t->tier_at];
    const struct pending_entry *u = cycle_item_head(t->g, t->tier_at);
    bool first_of_partition = t->borrow && why != PASSED_AGAIN && u->reason != REASON_NONE;
    if (t->g->tried_in == p->queue.slots.iteration || e->n > PASSED_PARTITIONS || t->tier_at > UINT8_MAX ||
        p->queue.nodes.n_parts > UINT16_MAX || first_of_partition) {
        cycle_row_add_other(s, t->g);
        return;
    }
    struct passed_item x = {.key = t->key,
                            .g = t->g,
                            .number = t->g->number,
                            .mark = cycle_row_mark_of(p, t->g, t->tier_at),
                            .limits_mark = limits_changes(p->queue.limits),
                            .tier_at = (uint8_t)t->tier_at,
                            .why = (uint8_t)why,
                            .borrow = t->borrow && why != PASSED_AGAIN,
                            .licensed = t->g->licensed,
                            .of_several = t->g->n_tiers > 1 || t->borrow};
    cycle_row_set_choices(e, t->g, &x);
    x.keeps_priority = job_class_keep_priority(t->g, t->tier_at, u->submit_ms, &x.priority);
    vec_push(&p->row.next.passed, x);
    if (t->g->n_tiers > 1 && why == PASSED_BY_LIMIT) /* which of its tiers gives the reason is not known */
        class_note_changed(&p->queue, t->g);
}

/* A class may be in the row with one of its tiers, or over a soft limit twice, although it is lined up. */
static bool cycle_row_has_had_its_turn(struct planner *p, const struct passed_item *x)
{
    const struct row_mark *mark = cycle_row_mark(p, x->number);
    uint64_t iteration = p->queue.slots.iteration;
    return mark->lined_up_in == iteration ||
           (x->borrow && mark->taken_in == iteration && x->g->tiers[x->tier_at].taken_in == iteration);
}

struct passed_item *cycle_row_peek(struct cycle *s)
{
    struct cycle_row *r = &s->p->row;
    for (; r->known && r->at < r->now.passed.n; r->at++) {
        struct passed_item *x = &r->now.passed.v[r->at];
        if (!x->of_several || !cycle_row_has_had_its_turn(s->p, x))
            return x;
    }
    return NULL;
}

/* Each of its partitions has a job in front that waits for resources. */
static bool cycle_row_is_behind(const struct planner *p, const struct passed_item *x)
{
    for (uint32_t i = 0; i < x->n_partitions; i++)
        if (!p->first_blocked[x->partitions[i]])
            return false;
    return true;
}

static bool cycle_row_has_slot_left(const struct planner *p, const struct passed_item *x)
{
    for (uint32_t i = 0; i < x->n_partitions; i++)
        if (p->queue.slots.partitions[x->partitions[i]].n_held < p->queue.slots.opts.depth)
            return true;
    return false;
}

/* --- what came free --- */

#define FREED_AT_ONCE 1024 /* after more than these it is examined */
#define FREED_FEW     64   /* after more than these some are taken to be in each partition */

/* What has come free in the partition, of the freed log from `from` on: the most that any of these nodes
 * may give, now and if all candidates went. Known until something else comes free: a start takes of it, and
 * may give it back. */
static const struct freed_in_partition *cycle_row_freed_in(struct planner *p, uint32_t partition,
                                                           uint64_t from)
{
    const struct plan_slots *b = &p->queue.slots;
    struct row_freed *f = &p->row.freed;
    uint64_t to = plan_slots_freed_mark(b);
    if (f->from != from || f->to != to || !f->stamp) {
        f->from = from;
        f->to = to;
        f->stamp++;
    }
    struct freed_in_partition *in = &f->in[partition];
    if (in->stamp == f->stamp)
        return in;
    *in = (struct freed_in_partition){.stamp = f->stamp, .any = to - from > FREED_FEW};
    for (size_t i = (size_t)(from - b->freed_forgotten); i < b->freed_log.n; i++) {
        uint32_t node = b->freed_log.v[i];
        if (!nodeset_has(&p->queue.nodes.part_nodes[partition], node))
            continue;
        struct amount free_now = p->queue.pool.nodes[node].free_now;
        in->any = true;
        in->free = amount_max(in->free, free_now);
        in->most = amount_max(in->most, amount_plus(free_now, preempt_most_reclaimable(&p->preempt, node)));
    }
    p->queue.pool.cost += (to - from) * (1 + p->preempt.reclaimables.n) / 2 + 1;
    return in;
}

enum row_gain cycle_row_gain(struct planner *p, struct passed_item *x)
{
    const struct plan_slots *b = &p->queue.slots;
    struct amount least = {x->least_cpus, x->least_mem_mib, x->least_gpus};
    uint64_t mark = plan_slots_freed_mark(b);
    enum row_gain gain = GAINS_NOTHING;
    if (x->mark == mark)
        return GAINS_NOTHING;
    if (x->mark == MARK_NONE || x->mark < b->freed_forgotten || mark - x->mark > FREED_AT_ONCE)
        return MAY_FIT;
    for (uint32_t i = 0; i < x->n_partitions; i++) {
        const struct freed_in_partition *in = cycle_row_freed_in(p, x->partitions[i], x->mark);
        if (amount_covers(in->free, least))
            return MAY_FIT;
        if (amount_covers(in->most, least) && x->why == PASSED_AS_FUTILE)
            x->why = PASSED_AS_UNFIT;
        gain = in->any ? GAINS_TOO_LITTLE : gain;
    }
    x->mark = mark;
    return gain;
}

void cycle_row_gained_nothing(const struct planner *p, struct passed_item *x)
{
    x->mark = plan_slots_freed_mark(&p->queue.slots);
    x->why = x->why == PASSED_AS_FUTILE ? PASSED_AS_UNFIT : x->why; /* it may have gained candidates */
}

/* --- what limits say --- */

static bool cycle_row_limits_changed(const struct planner *p, const struct passed_item *x)
{
    for (uint32_t i = 1; i < x->n_partitions; i++)
        if (limits_changed_since(p->queue.limits, x->g->requests[x->g->tiers[x->tier_at].first + i].who,
                                 x->limits_mark))
            return true;
    return limits_changed_since(p->queue.limits, x->request.who, x->limits_mark);
}

/* From the row alone, if it has enough. */
static enum limit_state cycle_row_limit(struct planner *p, const struct passed_item *x)
{
    return x->n_partitions == 1 && x->why != PASSED_BY_LIMIT
               ? limits_check(p->queue.limits, &x->request, NULL)
               : cycle_limit_of_class(p, x->g, x->tier_at);
}

/* The same as when it was passed over; its reason may be another limit. */
static bool cycle_row_is_limited_as_before(struct cycle *s, struct passed_item *x)
{
    struct planner *p = s->p;
    if (x->licensed)
        return false;
    if (!cycle_row_limits_changed(p, x))
        return true;
    enum limit_state was = x->why == PASSED_BY_LIMIT             ? LIMIT_OVER_HARD
                           : x->why == PASSED_AGAIN || x->borrow ? LIMIT_OVER_SOFT
                                                                 : LIMIT_OK;
    p->queue.pool.cost += CHECK_COST;
    if (cycle_row_limit(p, x) != was)
        return false;
    if (x->why == PASSED_BY_LIMIT)
        cycle_row_touch(s, x->g);
    if (x->why == PASSED_BY_LIMIT)
        cycle_try_set_rest(x->g, x->tier_at, limit_reason(&x->g->rest.verdict));
    x->limits_mark = limits_changes(p->queue.limits);
    return true;
}

bool cycle_row_holds(struct cycle *s, struct passed_item *x)
{
    struct planner *p = s->p;
    if (p->row.checks && !cycle_row_is_limited_as_before(s, x))
        return false;
    if (x->why == PASSED_BY_LIMIT || x->why == PASSED_AGAIN)
        return true;
    enum row_gain gain = cycle_row_gain(p, x);
    if (gain == MAY_FIT ||
        (gain == GAINS_TOO_LITTLE && !p->row.checks && !cycle_row_is_limited_as_before(s, x)))
        return false;
    if (x->borrow) /* it gets no slot and preempts no job */
        return cycle_row_is_behind(p, x);
    bool judged = x->why == PASSED_AS_FUTILE || (!p->preempt.searching && p->preempt.search_pays);
    return judged && !cycle_row_has_slot_left(p, x);
}

void cycle_row_keep(struct cycle *s)
{
    struct cycle_row *r = &s->p->row;
    vec_push(&r->next.passed, r->now.passed.v[r->at]);
    r->at++;
}

struct cycle_item cycle_row_take(struct cycle *s)
{
    struct cycle_row *r = &s->p->row;
    const struct passed_item *x = &r->now.passed.v[r->at++];
    if (!x->tier_at) { /* as if it had been sorted into the queue */
        x->g->rest.now = REASON_PRIORITY;
        x->g->rest.promised_to = 0;
    }
    cycle_row_touch(s, x->g);
    cycle_row_mark(s->p, x->number)->taken_in = s->p->queue.slots.iteration;
    if (!x->borrow)
        x->g->tiers[x->tier_at].taken_in = s->p->queue.slots.iteration;
    x->g->tiers[x->tier_at].prio = (uint32_t)x->key.first;
    cycle_make_room(s, x->g->n_choices);
    return (struct cycle_item){.g = x->g, .tier_at = x->tier_at, .key = x->key, .borrow = x->borrow};
}
