/* cycle_row.c - the classes that this cycle has passed over, in the order of the queue.
 *
 * A cycle goes over the queue several times, and each time passes most classes of a long queue over, for
 * the same reason. The first iteration examines all of them; the next ones walk along this row, where one
 * cache line says whether the reason still holds, and line up only the other classes again. An iteration
 * writes the row of the next one, in order, because items are taken in order.
 *
 *     a limit or a licence keeps it back    until limits may allow more (cycle_row_forget)
 *     its shape is unfit, and a search for  while nothing comes free, its partition has no slot left, and
 *     victims would be futile               no search is asked for that has not been judged
 */
#include "backend/sched/cycle/cycle_internal.h"

void cycle_row_begin(struct cycle *s)
{
    struct cycle_row *r = &s->row;
    struct row_part last = r->now;
    r->now = r->next;
    r->next = last;
    vec_clear(&r->next.passed);
    vec_clear(&r->next.others);
    r->at = r->other_at = 0;
    r->known = r->complete;
    r->complete = true;
}

void cycle_row_forget(struct cycle *s)
{
    s->row.complete = false;
}

struct job_class *cycle_row_next_other(struct cycle *s)
{
    if (s->row.other_at == s->row.now.others.n)
        return NULL;
    struct job_class *g = s->row.now.others.v[s->row.other_at++];
    g->lined_up_in = s->p->queue.slots.iteration;
    return g;
}

void cycle_row_add_other(struct cycle *s, struct job_class *g)
{
    if (g->tried_in == s->p->queue.slots.iteration)
        return;
    g->tried_in = s->p->queue.slots.iteration;
    vec_push(&s->row.next.others, g);
}

void cycle_row_add_passed(struct cycle *s, const struct cycle_item *t, enum passed why)
{
    const struct planner *p = s->p;
    const struct class_tier *e = &t->g->tiers[t->tier_at];
    bool first_of_partition = t->borrow && cycle_item_head(t->g, t->tier_at)->reason != REASON_NONE;
    if (why == PASSED_AGAIN)
        return;
    if (t->g->tried_in == p->queue.slots.iteration || e->n > PASSED_PARTITIONS || t->tier_at > UINT8_MAX ||
        p->queue.nodes.n_parts > UINT16_MAX || first_of_partition) {
        cycle_row_add_other(s, t->g);
        return;
    }
    struct passed_item x = {.key = t->key,
                            .g = t->g,
                            .mark = plan_slots_freed_mark(&p->queue.slots),
                            .n_partitions = (uint8_t)e->n,
                            .tier_at = (uint8_t)t->tier_at,
                            .why = (uint8_t)why,
                            .borrow = t->borrow,
                            .of_several = t->g->n_tiers > 1};
    for (uint32_t i = 0; i < e->n; i++)
        x.partitions[i] = (uint16_t)t->g->choices[e->first + i].partition;
    vec_push(&s->row.next.passed, x);
}

/* A class with several tiers may be in the row with one of them although it is lined up with all. */
struct passed_item *cycle_row_peek(struct cycle *s)
{
    struct cycle_row *r = &s->row;
    for (; r->known && r->at < r->now.passed.n; r->at++) {
        struct passed_item *x = &r->now.passed.v[r->at];
        if (!x->of_several || x->g->lined_up_in != s->p->queue.slots.iteration)
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

static bool cycle_row_names_node(const struct planner *p, const struct passed_item *x, uint32_t node)
{
    for (uint32_t i = 0; i < x->n_partitions; i++)
        if (nodeset_has(&p->queue.nodes.part_nodes[x->partitions[i]], node))
            return true;
    return false;
}

#define FREED_AT_ONCE 64 /* after more than these it is examined */

/* Whether what came free since then may be of use to it. */
static bool cycle_row_may_gain(const struct planner *p, struct passed_item *x)
{
    const struct plan_slots *b = &p->queue.slots;
    uint64_t mark = plan_slots_freed_mark(b);
    if (x->mark == mark)
        return false;
    if (x->mark < b->freed_forgotten || mark - x->mark > FREED_AT_ONCE)
        return true;
    for (size_t i = (size_t)(x->mark - b->freed_forgotten); i < b->freed_log.n; i++)
        if (cycle_row_names_node(p, x, b->freed_log.v[i]))
            return true;
    x->mark = mark;
    return false;
}

bool cycle_row_holds(const struct cycle *s, struct passed_item *x)
{
    const struct planner *p = s->p;
    if (x->why == PASSED_BY_LIMIT)
        return true;
    if (cycle_row_may_gain(p, x))
        return false;
    if (x->borrow) /* it gets no slot and preempts no job */
        return cycle_row_is_behind(p, x);
    bool judged = x->why == PASSED_AS_FUTILE || (!p->preempt.searching && p->preempt.search_pays);
    return judged && !cycle_row_has_slot_left(p, x);
}

void cycle_row_keep(struct cycle *s)
{
    vec_push(&s->row.next.passed, s->row.now.passed.v[s->row.at]);
    s->row.at++;
}

struct cycle_item cycle_row_take(struct cycle *s)
{
    const struct passed_item *x = &s->row.now.passed.v[s->row.at++];
    if (!x->tier_at) { /* as if it had been sorted into the queue */
        x->g->rest.now = REASON_PRIORITY;
        x->g->rest.promised_to = 0;
    }
    cycle_make_room(s, x->g->n_choices);
    return (struct cycle_item){.g = x->g, .tier_at = x->tier_at, .key = x->key, .borrow = x->borrow};
}

static void cycle_row_part_fini(struct row_part *r)
{
    vec_fini(&r->passed);
    vec_fini(&r->others);
}

void cycle_row_fini(struct cycle *s)
{
    cycle_row_part_fini(&s->row.now);
    cycle_row_part_fini(&s->row.next);
}
