/* plan_slots.c - starts beside the planned starts. */
#include "backend/sched/resources/plan_slots_internal.h"

#include <stdlib.h>
#include <string.h>

#include "src/base/xalloc.h"

void placement_fini(struct placement *p)
{
    vec_fini(&p->parts.v);
}

void plan_slots_init(struct plan_slots *b, struct pool *p, const struct plan_opts *o, uint32_t n_partitions)
{
    *b = (struct plan_slots){.pool = p, .opts = *o, .n_partitions = n_partitions};
    b->partitions = xcalloc(n_partitions ? n_partitions : 1, sizeof *b->partitions);
    b->counted = xcalloc(n_partitions ? n_partitions : 1, sizeof *b->counted);
    for (uint32_t i = 0; i < n_partitions; i++)
        list_init(&b->counted[i]);
    list_init(&b->list);
    b->on_node = xcalloc(p->n_nodes ? p->n_nodes : 1, sizeof *b->on_node);
    for (uint32_t i = 0; i < p->n_nodes; i++)
        list_init(&b->on_node[i]);
}

#define FREED_MAX 20000 /* more are taken for everything */

void plan_slots_note_freed(struct plan_slots *b, uint32_t node)
{
    if (b->freed_log.n == FREED_MAX) {
        b->freed_forgotten += b->freed_log.n;
        vec_clear(&b->freed_log);
    }
    vec_push(&b->freed_log, node);
}

void plan_slots_note_freed_all(struct plan_slots *b, const struct pool_use *u)
{
    for (uint32_t i = 0; i < u->n_parts; i++)
        plan_slots_note_freed(b, u->parts[i].node);
}

uint64_t plan_slots_freed_mark(const struct plan_slots *b)
{
    return b->freed_forgotten + b->freed_log.n;
}

bool plan_slots_freed_since(const struct plan_slots *b, uint64_t mark, const struct demand *d,
                            const struct nodeset *s)
{
    if (mark < b->freed_forgotten)
        return true;
    for (size_t i = (size_t)(mark - b->freed_forgotten); i < b->freed_log.n; i++)
        if (nodeset_has(s, b->freed_log.v[i]) && (!d || pool_could_take(b->pool, d, b->freed_log.v[i])))
            return true;
    return false;
}

void plan_slots_drop(struct plan_slots *b, struct plan_slot *h)
{
    if (!h->use.parts)
        return;
    plan_slots_note_freed_all(b, &h->use);
    pool_drop(b->pool, &h->use);
    plan_slots_unlink(b, h);
    b->n_dropped++;
}

void plan_slots_fini(struct plan_slots *b)
{
    list_for_each (h, &b->list, struct plan_slot, link)
        plan_slots_drop(b, h);
    free(b->partitions);
    free(b->counted);
    free(b->on_node);
    vec_fini(&b->suspended);
    vec_fini(&b->freed_log);
    for (uint32_t i = 0; i < b->n_narrow; i++)
        nodeset_fini(&b->narrow_sets[i]);
    free(b->narrow);
    free(b->narrow_sets);
    *b = (struct plan_slots){0};
}

void plan_slots_begin(struct plan_slots *b, bool gained)
{
    b->iteration++;
    b->again = false;
    b->gained = gained;
    b->invalidated = false;
    for (uint32_t i = 0; i < b->n_partitions; i++)
        b->partitions[i] = (struct plan_partition){0};
    b->stay = 0;
    list_for_each (h, &b->list, struct plan_slot, link) {
        h->stays = 0;
        plan_slots_note_stay(b, h);
        if (h->promised && h->counts != NO_PARTITION)
            b->partitions[h->counts].n_promised++;
    }
    /* Jobs were preempted for it: it stays in any case. */
    plan_slots_forget_suspended(b);
    list_for_each (h, &b->list, struct plan_slot, link)
        if (!b->opts.keep && !h->by_preemption)
            plan_slots_drop(b, h);
}

void plan_slots_promise(struct plan_slots *b)
{
    list_for_each (h, &b->list, struct plan_slot, link) {
        if (!b->opts.keep)
            continue;
        if (!h->promised)
            h->promised = b->arrivals ? b->arrivals : 1;
        if (!h->latest || !b->opts.predicts)
            h->latest = h->use.start;
    }
}

int64_t plan_slot_told(const struct plan_slot *h)
{
    return h->latest > h->use.start ? h->latest : h->use.start;
}

void plan_slots_invalidate(struct plan_slots *b)
{
    b->invalidated = true;
}

/* How long a start at t runs: without a limit until its deadline, and never longer than its step job. */
static int64_t plan_slots_length_at(const struct plan_request *it, const struct plan_choice *c, int64_t t)
{
    int64_t len = c->len;
    if (len == WHEN_NEVER && it->deadline > t && it->deadline != WHEN_NEVER)
        len = it->deadline - t;
    if (it->ends && when_plus(t, len) > it->ends)
        len = it->ends > t ? it->ends - t : 1;
    return len;
}

int64_t plan_request_length_at(const struct plan_request *it, uint32_t choice, int64_t t)
{
    return plan_slots_length_at(it, &it->choices[choice], t);
}

/* A start at t with this length keeps the deadline, and its step job has not ended by then. */
bool plan_request_is_in_time(const struct plan_request *it, int64_t t, int64_t len)
{
    return (!it->ends || t < it->ends) && (it->deadline == WHEN_NEVER || when_plus(t, len) <= it->deadline);
}

struct pool_judge plan_request_judge(const struct plan_request *it, uint32_t choice)
{
    return (struct pool_judge){.allows = it->allows, .ctx = it->ctx, .choice = choice};
}

/* At the length of the placement it may still be too much. */
static bool plan_slots_is_allowed(const struct plan_request *it, const struct placement *at)
{
    struct pool_judge judge = plan_request_judge(it, at->choice);
    return pool_allows(&judge, &at->parts, at->len);
}

static bool plan_slots_place_at_once(struct plan_slots *b, const struct plan_request *it,
                                     const struct plan_choice *c, int64_t len, struct placement *ret)
{
    struct pool_judge judge = plan_request_judge(it, ret->choice);
    return pool_place_allowed(b->pool, c->demand, c->set, b->pool->now, len, &judge, &ret->parts);
}

/* The longest that fits now, at least len_min. */
static bool plan_slots_place_shortened(struct plan_slots *b, const struct plan_request *it,
                                       const struct plan_choice *c, struct placement *ret)
{
    if (c->len_min >= c->len || !plan_slots_place_at_once(b, it, c, c->len_min, ret))
        return false;
    int64_t room = pool_room(b->pool, &ret->parts, b->pool->now);
    int64_t until_deadline = it->deadline == WHEN_NEVER ? WHEN_NEVER : it->deadline - b->pool->now;
    ret->len = room < c->len ? room : c->len;
    ret->len = until_deadline < ret->len ? until_deadline : ret->len;
    return ret->len >= c->len_min && plan_slots_is_allowed(it, ret);
}

static bool plan_slots_place_choice(struct plan_slots *b, const struct plan_request *it,
                                    const struct plan_choice *c, struct placement *ret)
{
    ret->start = b->pool->now;
    ret->len = plan_slots_length_at(it, c, ret->start);
    return (plan_request_is_in_time(it, ret->start, ret->len) &&
            plan_slots_place_at_once(b, it, c, ret->len, ret)) ||
           plan_slots_place_shortened(b, it, c, ret);
}

/* In the first of its partitions that takes it now, on the fewest nodes. */
bool plan_slots_fits_beside(struct plan_slots *b, const struct plan_request *it, struct placement *ret)
{
    for (uint32_t i = 0; i < it->n_choices; i++) {
        const struct plan_choice *c = &it->choices[i];
        if (b->partitions[c->partition].closed && !it->by_preemptor)
            continue;
        ret->choice = i;
        if (c->own)
            pool_suspend(b->pool, c->own);
        bool placed = plan_slots_place_choice(b, it, c, ret);
        if (c->own)
            pool_restore(b->pool, c->own);
        if (placed && (!it->leaves || it->leaves(it->ctx, i, &ret->parts, ret->start, ret->len)))
            return true;
    }
    return false;
}

bool plan_slots_start_beside(struct plan_slots *b, const struct plan_request *it, struct placement *ret)
{
    bool starts = plan_slots_fits_beside(b, it, ret);
    if (starts)
        plan_slots_widen(b, it, ret);
    return starts;
}

bool plan_slots_is_there(const struct plan_slots *b, const struct plan_slot *h)
{
    return h->use.parts && !(b->lifts && h->suspended);
}

bool plan_slots_has_left(const struct plan_slots *b, uint32_t partition)
{
    return !b->partitions[partition].closed && b->partitions[partition].n_held < b->opts.depth;
}

bool plan_slots_is_senior(const struct plan_slot *h, const struct plan_request *it)
{
    return h->promised && it->came <= h->promised;
}

/* A newer promise goes before that of the request: jobs that have come in between may take the slot of the
 * older one alone. */
static bool plan_slots_is_kept_for(const struct plan_slot *h, const struct plan_request *it)
{
    return it->promised ? h->promised > it->promised : plan_slots_is_senior(h, it);
}

/* A slot that is not needed for a promise to a job behind the request. */
static bool plan_slots_has_left_for(const struct plan_slots *b, const struct plan_request *it,
                                    uint32_t partition)
{
    const struct plan_partition *p = &b->partitions[partition];
    uint32_t n = p->n_held;
    if (!plan_slots_has_left(b, partition))
        return false;
    if (!p->n_promised || b->opts.depth == PLAN_ALL || n + p->n_promised < b->opts.depth)
        return true;
    list_for_each (h, &b->counted[partition], struct plan_slot, in_count)
        n += h->visited != b->iteration && !h->by_preemption && plan_slots_is_kept_for(h, it);
    return n < b->opts.depth;
}

uint32_t plan_slots_partition_left(const struct plan_slots *b, const struct plan_request *it,
                                   uint32_t partition)
{
    if (plan_slots_has_left_for(b, it, partition))
        return partition;
    for (uint32_t i = 0; i < it->n_choices; i++)
        if (plan_slots_has_left_for(b, it, it->choices[i].partition))
            return it->choices[i].partition;
    return NO_PARTITION;
}

bool plan_slots_may_book(const struct plan_slots *b, const struct plan_request *it)
{
    return it->n_choices && plan_slots_partition_left(b, it, it->choices[0].partition) != NO_PARTITION;
}

/* As if the jobs behind it (or only those in lower tiers) had no slots. */
static bool plan_slots_place_before_others(struct plan_slots *b, const struct plan_request *it,
                                           bool lower_only, struct placement *ret)
{
    if (lower_only ? !plan_slots_suspend_plans_below(b, it, true) : !plan_slots_suspend_behind(b, it))
        return false;
    bool placed = plan_slots_fits_beside(b, it, ret);
    plan_slots_restore_behind(b);
    if (!placed)
        return false;
    struct pool_use use;
    pool_plan(b->pool, &use, &ret->parts, ret->start, when_plus(ret->start, ret->len));
    plan_slots_drop_displaced(b);
    pool_drop(b->pool, &use);
    return true;
}

/* Whether all nodes have to be looked at, not only those in the freed log. */
static bool plan_slots_looks_everywhere(const struct plan_slots *b, const struct plan_slot *h)
{
    bool unsure = h->by_preemption && !h->is_earliest;
    return !b->opts.keep || b->gained || b->invalidated || unsure || h->limited ||
           h->use.start <= b->pool->now || h->mark < b->freed_forgotten;
}

static void plan_slots_make_room(struct plan_slots *b, uint32_t n)
{
    if (n <= b->n_narrow)
        return;
    b->narrow = xreallocarray(b->narrow, n, sizeof *b->narrow);
    b->narrow_sets = xreallocarray(b->narrow_sets, n, sizeof *b->narrow_sets);
    for (; b->n_narrow < n; b->n_narrow++)
        nodeset_init(&b->narrow_sets[b->n_narrow], b->pool->n_nodes);
}

/* Nodes of the choice in the freed log since mark, if they could ever take part. */
static void plan_slots_fill_narrow(const struct plan_slots *b, const struct plan_choice *c, uint64_t mark,
                                   struct nodeset *s)
{
    memset(s->bits, 0, s->words * sizeof *s->bits);
    s->n = 0;
    for (size_t i = (size_t)(mark - b->freed_forgotten); i < b->freed_log.n; i++)
        if (nodeset_has(c->set, b->freed_log.v[i]) &&
            pool_could_ever_take(b->pool, c->demand, b->freed_log.v[i]))
            nodeset_add(s, b->freed_log.v[i]);
}

void plan_slots_narrow(struct plan_slots *b, const struct plan_request *it, const struct plan_slot *h,
                       struct plan_request *ret)
{
    bool any = false;
    *ret = *it;
    if (plan_slots_looks_everywhere(b, h))
        return;
    plan_slots_make_room(b, it->n_choices);
    for (uint32_t i = 0; i < it->n_choices; i++) {
        const struct plan_choice *c = &it->choices[i];
        plan_slots_fill_narrow(b, c, h->mark, &b->narrow_sets[i]);
        any = any || b->narrow_sets[i].n;
        b->narrow[i] = *c;
        if (c->demand->nodes_max == 1 && !c->set->n_listed)
            b->narrow[i].set = &b->narrow_sets[i];
    }
    ret->choices = b->narrow;
    ret->n_choices = any ? it->n_choices : 0;
}

bool plan_slot_is_at(const struct plan_slot *h, const struct placement *at)
{
    bool same = h->use.n_parts == at->parts.v.n;
    for (uint32_t i = 0; i < h->use.n_parts && same; i++)
        same = h->use.parts[i].node == at->parts.v.v[i].node &&
               amount_eq(h->use.parts[i].amount, at->parts.v.v[i].amount);
    return same;
}

/* It starts where and when it was planned: nothing comes free. */
static bool plan_slots_is_as_held(const struct plan_slot *h, const struct placement *at)
{
    return h->use.start == at->start && h->use.end == when_plus(at->start, at->len) &&
           plan_slot_is_at(h, at);
}

void plan_slots_drop_for_same(struct plan_slots *b, struct plan_slot *h)
{
    uint64_t freed = b->n_dropped;
    plan_slots_drop(b, h);
    b->n_dropped = freed;
}

/* A kept slot: its own resources are free for it. */
static bool plan_slots_start_held(struct plan_slots *b, const struct plan_request *it, struct plan_slot *h,
                                  struct placement *ret)
{
    struct plan_request part;
    plan_slots_visit(b, h);
    plan_slots_narrow(b, it, h, &part);
    if (!part.n_choices)
        return false;
    pool_suspend(b->pool, &h->use);
    bool placed =
        plan_slots_fits_beside(b, &part, ret) || plan_slots_place_before_others(b, &part, true, ret);
    pool_restore(b->pool, &h->use);
    if (placed && plan_slots_is_as_held(h, ret))
        plan_slots_drop_for_same(b, h);
    else if (placed)
        plan_slots_drop(b, h);
    return placed;
}

void plan_slots_drop_counted(struct plan_slots *b, struct plan_slot *h)
{
    if (h->visited == b->iteration && h->counts != NO_PARTITION) {
        b->partitions[h->counts].n_held--;
        b->again = true;
    }
    plan_slots_drop(b, h);
}

uint64_t plan_slot_suspend_own(struct plan_slots *b, struct plan_slot *h)
{
    uint64_t visited = h->visited;
    h->visited = b->iteration; /* so that it is not suspended twice */
    pool_suspend(b->pool, &h->use);
    return visited;
}

void plan_slot_restore_own(struct plan_slots *b, struct plan_slot *h, uint64_t visited)
{
    pool_restore(b->pool, &h->use);
    h->visited = visited;
}

static bool plan_slots_start_instead(struct plan_slots *b, const struct plan_request *it,
                                     struct plan_slot *h, struct placement *ret)
{
    uint64_t visited = plan_slot_suspend_own(b, h);
    bool placed = plan_slots_fits_beside(b, it, ret) || plan_slots_place_before_others(b, it, false, ret);
    plan_slot_restore_own(b, h, visited);
    if (placed)
        plan_slots_drop_counted(b, h);
    return placed;
}

bool plan_slots_start(struct plan_slots *b, const struct plan_request *it, struct plan_slot *h,
                      struct placement *ret)
{
    bool held = h->use.parts != NULL;
    bool starts =
        !held ? plan_slots_fits_beside(b, it, ret) || plan_slots_place_before_others(b, it, false, ret)
        : h->tier_at == it->tier_at ? plan_slots_start_held(b, it, h, ret)
                                    : plan_slots_start_instead(b, it, h, ret);
    if (starts && plan_slots_widen(b, it, ret) && held)
        b->n_dropped++; /* it takes less of the nodes that were kept for it */
    return starts;
}

bool plan_slots_earliest(struct plan_slots *b, const struct plan_request *it, int64_t before,
                         struct placement *ret)
{
    struct pool_parts parts = {.v = VEC_INIT};
    bool found = false;
    for (uint32_t i = 0; i < it->n_choices; i++) {
        const struct plan_choice *c = &it->choices[i];
        int64_t len = plan_slots_length_at(it, c, b->pool->now);
        if (c->own)
            pool_suspend(b->pool, c->own);
        struct pool_span span = {.from = b->pool->now, .before = before, .len = len};
        struct pool_judge judge = plan_request_judge(it, i);
        int64_t t = pool_earliest_allowed(b->pool, c->demand, c->set, span, &judge, &parts);
        if (c->own)
            pool_restore(b->pool, c->own);
        len = t == WHEN_NEVER ? 0 : plan_slots_length_at(it, c, t);
        if (t == WHEN_NEVER || !plan_request_is_in_time(it, t, len) || !pool_allows(&judge, &parts, len) ||
            (it->leaves && !it->leaves(it->ctx, i, &parts, t, len)))
            continue;
        struct pool_parts swap = ret->parts;
        ret->parts = parts;
        parts = swap;
        ret->choice = i;
        ret->start = before = t;
        ret->len = len;
        found = true;
    }
    vec_fini(&parts.v);
    return found;
}

void plan_slots_copy(struct plan_slots *b, struct plan_slot *h, const struct plan_slot *from,
                     struct pool_use *own)
{
    struct pool_parts parts = pool_parts_of(&from->use);
    *h = (struct plan_slot){.partition = from->partition,
                            .tier_at = from->tier_at,
                            .tier = from->tier,
                            .job = from->job,
                            .by_preemption = from->by_preemption,
                            .promised = from->promised,
                            .latest = b->opts.predicts ? from->latest : 0,
                            .mark = plan_slots_freed_mark(b),
                            .own = from->own ? own : NULL};
    pool_plan(b->pool, &h->use, &parts, from->use.start, from->use.end);
    plan_slots_link(b, h, from->counts);
    vec_fini(&parts.v);
}

void plan_slots_close(struct plan_slots *b, const struct plan_request *it)
{
    for (uint32_t i = 0; i < it->n_choices && !b->opts.backfill; i++)
        b->partitions[it->choices[i].partition].closed = true;
}

int64_t plan_slots_next(const struct plan_slots *b)
{
    int64_t next = WHEN_NEVER;
    list_for_each (h, &b->list, struct plan_slot, link)
        next = h->use.start < next ? h->use.start : next;
    return next;
}

bool plan_slots_are_closed(const struct plan_slots *b)
{
    for (uint32_t i = 0; i < b->n_partitions; i++)
        if (!b->partitions[i].closed)
            return false;
    list_for_each (h, &b->list, struct plan_slot, link)
        if (h->by_preemption && h->visited != b->iteration) /* a closed partition may be open to it */
            return false;
    return b->n_partitions > 0;
}
