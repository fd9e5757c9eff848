/* plan_slots.c - one pass over the waiting, in order. */
#include "backend/sched/resources/plan_slots_internal.h"

#include <stdlib.h>
#include <string.h>

#include "src/base/xalloc.h"

void backfill_place_fini(struct backfill_place *p)
{
    vec_fini(&p->parts.v);
}

void backfill_init(struct backfill *b, struct pool *p, const struct backfill_opts *o, uint32_t n_lanes)
{
    *b = (struct backfill){.pool = p, .opts = *o, .n_lanes = n_lanes};
    b->lanes = xcalloc(n_lanes ? n_lanes : 1, sizeof *b->lanes);
    list_init(&b->holds);
}

#define GAINS_MAX 20000 /* more are taken for everything */

void backfill_gain(struct backfill *b, uint32_t node)
{
    if (b->gains.n == GAINS_MAX) {
        b->gains_forgotten += b->gains.n;
        vec_clear(&b->gains);
    }
    vec_push(&b->gains, node);
}

void backfill_gain_all(struct backfill *b, const struct pool_use *u)
{
    for (uint32_t i = 0; i < u->n_parts; i++)
        backfill_gain(b, u->parts[i].node);
}

uint64_t backfill_mark(const struct backfill *b)
{
    return b->gains_forgotten + b->gains.n;
}

bool backfill_gained_since(const struct backfill *b, uint64_t mark, const struct demand *d,
                           const struct nodeset *s)
{
    if (mark < b->gains_forgotten)
        return true;
    for (size_t i = (size_t)(mark - b->gains_forgotten); i < b->gains.n; i++)
        if (nodeset_has(s, b->gains.v[i]) && (!d || pool_could_take(b->pool, d, b->gains.v[i])))
            return true;
    return false;
}

void backfill_give_up(struct backfill *b, struct backfill_hold *h)
{
    if (!h->use.parts)
        return;
    backfill_gain_all(b, &h->use);
    pool_drop(b->pool, &h->use);
    list_unlink(&h->link);
    *h = (struct backfill_hold){0};
    b->freed++;
}

void backfill_fini(struct backfill *b)
{
    list_for_each (h, &b->holds, struct backfill_hold, link)
        backfill_give_up(b, h);
    free(b->lanes);
    vec_fini(&b->gains);
    for (uint32_t i = 0; i < b->n_narrow; i++)
        nodeset_fini(&b->narrow_sets[i]);
    free(b->narrow);
    free(b->narrow_sets);
    *b = (struct backfill){0};
}

void backfill_begin(struct backfill *b, bool gained)
{
    b->pass++;
    b->again = false;
    b->gained = gained;
    b->shaken = false;
    for (uint32_t i = 0; i < b->n_lanes; i++)
        b->lanes[i] = (struct backfill_lane){0};
    /* Others have gone for a claim: it stays in any case. */
    list_for_each (h, &b->holds, struct backfill_hold, link)
        if (!b->opts.keep && !h->claim)
            backfill_give_up(b, h);
}

void backfill_shake(struct backfill *b)
{
    b->shaken = true;
}

/* What starts at t goes on for so long: without a limit of its own until its deadline, and never longer
 * than what it belongs to. */
static int64_t length_at(const struct backfill_item *it, const struct backfill_choice *c, int64_t t)
{
    int64_t len = c->len;
    if (len == WHEN_NEVER && it->deadline > t && it->deadline != WHEN_NEVER)
        len = it->deadline - t;
    if (it->ends && when_plus(t, len) > it->ends)
        len = it->ends > t ? it->ends - t : 1;
    return len;
}

int64_t backfill_length_at(const struct backfill_item *it, uint32_t choice, int64_t t)
{
    return length_at(it, &it->choices[choice], t);
}

/* A start at t with this length keeps the deadline, and what it belongs to has not ended by then. */
bool backfill_is_in_time(const struct backfill_item *it, int64_t t, int64_t len)
{
    return (!it->ends || t < it->ends) && (it->deadline == WHEN_NEVER || when_plus(t, len) <= it->deadline);
}

struct pool_judge backfill_judge(const struct backfill_item *it, uint32_t choice)
{
    return (struct pool_judge){.allows = it->allows, .ctx = it->ctx, .choice = choice};
}

/* Its place says for how long: at that length it may still be too much. */
static bool is_allowed(const struct backfill_item *it, const struct backfill_place *at)
{
    struct pool_judge judge = backfill_judge(it, at->choice);
    return pool_allows(&judge, &at->parts, at->len);
}

static bool place_at_once(struct backfill *b, const struct backfill_item *it,
                          const struct backfill_choice *c, int64_t len, struct backfill_place *ret)
{
    struct pool_judge judge = backfill_judge(it, ret->choice);
    return pool_place_allowed(b->pool, c->demand, c->set, b->pool->now, len, &judge, &ret->parts);
}

/* The longest that fits now, at least len_min. */
static bool place_shortened(struct backfill *b, const struct backfill_item *it,
                            const struct backfill_choice *c, struct backfill_place *ret)
{
    if (c->len_min >= c->len || !place_at_once(b, it, c, c->len_min, ret))
        return false;
    int64_t room = pool_room(b->pool, &ret->parts, b->pool->now);
    int64_t until_deadline = it->deadline == WHEN_NEVER ? WHEN_NEVER : it->deadline - b->pool->now;
    ret->len = room < c->len ? room : c->len;
    ret->len = until_deadline < ret->len ? until_deadline : ret->len;
    return ret->len >= c->len_min && is_allowed(it, ret);
}

static bool place_choice(struct backfill *b, const struct backfill_item *it,
                         const struct backfill_choice *c, struct backfill_place *ret)
{
    ret->start = b->pool->now;
    ret->len = length_at(it, c, ret->start);
    return (backfill_is_in_time(it, ret->start, ret->len) && place_at_once(b, it, c, ret->len, ret)) ||
           place_shortened(b, it, c, ret);
}

/* In the first of its lanes that takes it now. */
static bool place_now(struct backfill *b, const struct backfill_item *it, struct backfill_place *ret)
{
    for (uint32_t i = 0; i < it->n_choices; i++) {
        const struct backfill_choice *c = &it->choices[i];
        if (b->lanes[c->lane].closed && !it->promised)
            continue;
        ret->choice = i;
        if (c->own)
            pool_lift(b->pool, c->own);
        bool placed = place_choice(b, it, c, ret);
        if (c->own)
            pool_lay(b->pool, c->own);
        if (placed)
            return true;
    }
    return false;
}

static bool has_left(const struct backfill *b, uint32_t lane)
{
    return !b->lanes[lane].closed && b->lanes[lane].n_held < b->opts.depth;
}

uint32_t backfill_lane_left(const struct backfill *b, const struct backfill_item *it, uint32_t lane)
{
    if (has_left(b, lane))
        return lane;
    for (uint32_t i = 0; i < it->n_choices; i++)
        if (has_left(b, it->choices[i].lane))
            return it->choices[i].lane;
    return NO_LANE;
}

bool backfill_may_hold(const struct backfill *b, const struct backfill_item *it)
{
    return it->n_choices && backfill_lane_left(b, it, it->choices[0].lane) != NO_LANE;
}

static bool holds_on(const struct backfill_hold *h, const struct backfill_item *it)
{
    for (uint32_t k = 0; k < h->use.n_parts; k++)
        for (uint32_t i = 0; i < it->n_choices; i++)
            if (nodeset_has(it->choices[i].set, h->use.parts[k].node))
                return true;
    return false;
}

struct lifts {
    bool own_tier; /* and not only lower ones */
    bool claims;   /* of lower tiers */
};

/* Those that have not had their turn in this pass stand behind it. An item that may hold nothing itself
 * lets those of its own tier be. A claim gives way to a higher tier alone: else a victim could take back
 * the place that it was preempted for. */
static bool gives_way(const struct backfill *b, const struct backfill_hold *h,
                      const struct backfill_item *it, struct lifts what)
{
    bool lower = h->tier < it->tier;
    bool behind = h->claim ? lower && what.claims : lower || what.own_tier;
    return h->visited != b->pass && behind && holds_on(h, it);
}

static bool lift(struct backfill *b, const struct backfill_item *it, struct lifts what)
{
    bool any = false;
    list_for_each (h, &b->holds, struct backfill_hold, link) {
        h->aside = gives_way(b, h, it, what);
        any = any || h->aside;
        if (h->aside)
            pool_lift(b->pool, &h->use);
    }
    return any;
}

bool backfill_lift_behind(struct backfill *b, const struct backfill_item *it)
{
    return lift(b, it, (struct lifts){.own_tier = backfill_may_hold(b, it), .claims = true});
}

bool backfill_lift_plans_behind(struct backfill *b, const struct backfill_item *it, bool claim)
{
    return lift(b, it, (struct lifts){.own_tier = backfill_may_hold(b, it), .claims = claim});
}

bool backfill_lift_plans_below(struct backfill *b, const struct backfill_item *it, bool claim)
{
    return lift(b, it, (struct lifts){.claims = claim});
}

void backfill_lay_behind(struct backfill *b)
{
    list_for_each (h, &b->holds, struct backfill_hold, link)
        if (h->aside)
            pool_lay(b->pool, &h->use);
}

bool backfill_is_use_sound(struct backfill *b, struct pool_use *use, struct pool_use *own)
{
    bool sound = true;
    pool_lift(b->pool, use);
    if (own)
        pool_lift(b->pool, own);
    for (uint32_t i = 0; i < use->n_parts && sound; i++) {
        const struct pool_part *part = &use->parts[i];
        const struct pool_node *n = &b->pool->nodes[part->node];
        sound = n->usable && amount_covers(timeline_min(&n->line, use->start, use->end), part->amount);
    }
    if (own)
        pool_lay(b->pool, own);
    pool_lay(b->pool, use);
    return sound;
}

bool backfill_is_sound(struct backfill *b, struct backfill_hold *h)
{
    return backfill_is_use_sound(b, &h->use, h->own);
}

void backfill_push_aside(struct backfill *b)
{
    list_for_each (h, &b->holds, struct backfill_hold, link)
        if (h->aside && !backfill_is_sound(b, h)) {
            backfill_give_up(b, h);
            h->lost = b->pass;
        }
}

/* As if nobody behind it, or only in lower tiers, held anything. */
static bool place_before_others(struct backfill *b, const struct backfill_item *it, bool lower_only,
                                struct backfill_place *ret)
{
    if (lower_only ? !backfill_lift_plans_below(b, it, true) : !backfill_lift_behind(b, it))
        return false;
    bool placed = place_now(b, it, ret);
    backfill_lay_behind(b);
    if (!placed)
        return false;
    struct pool_use use;
    pool_hold(b->pool, &use, &ret->parts, ret->start, when_plus(ret->start, ret->len));
    backfill_push_aside(b);
    pool_drop(b->pool, &use);
    return true;
}

/* All of it has to be looked at again, not only the nodes on which something has come free. */
static bool looks_everywhere(const struct backfill *b, const struct backfill_hold *h)
{
    return !b->opts.keep || b->gained || b->shaken || h->claim || h->limited ||
           h->use.start <= b->pool->now || h->mark < b->gains_forgotten;
}

static void make_room(struct backfill *b, uint32_t n)
{
    if (n <= b->n_narrow)
        return;
    b->narrow = xreallocarray(b->narrow, n, sizeof *b->narrow);
    b->narrow_sets = xreallocarray(b->narrow_sets, n, sizeof *b->narrow_sets);
    for (; b->n_narrow < n; b->n_narrow++)
        nodeset_init(&b->narrow_sets[b->n_narrow], b->pool->n_nodes);
}

/* Of the choice's nodes those on which something has come free since, if they could ever do. */
static void fill_narrow(const struct backfill *b, const struct backfill_choice *c, uint64_t mark,
                        struct nodeset *s)
{
    memset(s->bits, 0, s->words * sizeof *s->bits);
    s->n = 0;
    for (size_t i = (size_t)(mark - b->gains_forgotten); i < b->gains.n; i++)
        if (nodeset_has(c->set, b->gains.v[i]) && pool_could_ever_take(b->pool, c->demand, b->gains.v[i]))
            nodeset_add(s, b->gains.v[i]);
}

void backfill_narrow(struct backfill *b, const struct backfill_item *it, const struct backfill_hold *h,
                     struct backfill_item *ret)
{
    bool any = false;
    *ret = *it;
    if (looks_everywhere(b, h))
        return;
    make_room(b, it->n_choices);
    for (uint32_t i = 0; i < it->n_choices; i++) {
        const struct backfill_choice *c = &it->choices[i];
        fill_narrow(b, c, h->mark, &b->narrow_sets[i]);
        any = any || b->narrow_sets[i].n;
        b->narrow[i] = *c;
        if (c->demand->nodes_max == 1 && !c->set->n_listed)
            b->narrow[i].set = &b->narrow_sets[i];
    }
    ret->choices = b->narrow;
    ret->n_choices = any ? it->n_choices : 0;
}

bool backfill_is_same_place(const struct backfill_hold *h, const struct backfill_place *at)
{
    bool same = h->use.n_parts == at->parts.v.n;
    for (uint32_t i = 0; i < h->use.n_parts && same; i++)
        same = h->use.parts[i].node == at->parts.v.v[i].node &&
               amount_eq(h->use.parts[i].amount, at->parts.v.v[i].amount);
    return same;
}

/* It starts where and when it was planned to: nothing comes free by that. */
static bool is_as_held(const struct backfill_hold *h, const struct backfill_place *at)
{
    return h->use.start == at->start && h->use.end == when_plus(at->start, at->len) &&
           backfill_is_same_place(h, at);
}

void backfill_give_up_for_same(struct backfill *b, struct backfill_hold *h)
{
    uint64_t freed = b->freed;
    backfill_give_up(b, h);
    b->freed = freed;
}

/* A kept place: what it holds is its own while it looks. */
static bool start_held(struct backfill *b, const struct backfill_item *it, struct backfill_hold *h,
                       struct backfill_place *ret)
{
    struct backfill_item part;
    h->visited = b->pass;
    backfill_narrow(b, it, h, &part);
    if (!part.n_choices)
        return false;
    pool_lift(b->pool, &h->use);
    bool placed = place_now(b, &part, ret) || place_before_others(b, &part, true, ret);
    pool_lay(b->pool, &h->use);
    if (placed && is_as_held(h, ret))
        backfill_give_up_for_same(b, h);
    else if (placed)
        backfill_give_up(b, h);
    return placed;
}

void backfill_give_up_counted(struct backfill *b, struct backfill_hold *h)
{
    if (h->visited == b->pass && h->counts != NO_LANE) {
        b->lanes[h->counts].n_held--;
        b->again = true;
    }
    backfill_give_up(b, h);
}

uint64_t backfill_set_own_aside(struct backfill *b, struct backfill_hold *h)
{
    uint64_t visited = h->visited;
    h->visited = b->pass; /* so that nothing else lifts it as well */
    pool_lift(b->pool, &h->use);
    return visited;
}

void backfill_lay_own(struct backfill *b, struct backfill_hold *h, uint64_t visited)
{
    pool_lay(b->pool, &h->use);
    h->visited = visited;
}

static bool start_instead(struct backfill *b, const struct backfill_item *it, struct backfill_hold *h,
                          struct backfill_place *ret)
{
    uint64_t visited = backfill_set_own_aside(b, h);
    bool placed = place_now(b, it, ret) || place_before_others(b, it, false, ret);
    backfill_lay_own(b, h, visited);
    if (placed)
        backfill_give_up_counted(b, h);
    return placed;
}

bool backfill_start(struct backfill *b, const struct backfill_item *it, struct backfill_hold *h,
                    struct backfill_place *ret)
{
    if (h->use.parts)
        return h->entry == it->entry ? start_held(b, it, h, ret) : start_instead(b, it, h, ret);
    return place_now(b, it, ret) || place_before_others(b, it, false, ret);
}

bool backfill_start_beside(struct backfill *b, const struct backfill_item *it, struct backfill_place *ret)
{
    return place_now(b, it, ret);
}

bool backfill_earliest(struct backfill *b, const struct backfill_item *it, int64_t before,
                       struct backfill_place *ret)
{
    struct pool_parts parts = {VEC_INIT};
    bool found = false;
    for (uint32_t i = 0; i < it->n_choices; i++) {
        const struct backfill_choice *c = &it->choices[i];
        int64_t len = length_at(it, c, b->pool->now);
        if (c->own)
            pool_lift(b->pool, c->own);
        struct pool_span span = {.from = b->pool->now, .before = before, .len = len};
        struct pool_judge judge = backfill_judge(it, i);
        int64_t t = pool_earliest_allowed(b->pool, c->demand, c->set, span, &judge, &parts);
        if (c->own)
            pool_lay(b->pool, c->own);
        len = t == WHEN_NEVER ? 0 : length_at(it, c, t);
        if (t == WHEN_NEVER || !backfill_is_in_time(it, t, len) || !pool_allows(&judge, &parts, len))
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

void backfill_copy(struct backfill *b, struct backfill_hold *h, const struct backfill_hold *from,
                   struct pool_use *own)
{
    struct pool_parts parts = {VEC_INIT};
    for (uint32_t i = 0; i < from->use.n_parts; i++)
        vec_push(&parts.v, from->use.parts[i]);
    *h = (struct backfill_hold){.lane = from->lane,
                                .entry = from->entry,
                                .tier = from->tier,
                                .counts = from->counts,
                                .claim = from->claim,
                                .mark = backfill_mark(b),
                                .own = from->own ? own : NULL};
    pool_hold(b->pool, &h->use, &parts, from->use.start, from->use.end);
    list_append(&b->holds, &h->link);
    vec_fini(&parts.v);
}

void backfill_close(struct backfill *b, const struct backfill_item *it)
{
    for (uint32_t i = 0; i < it->n_choices && !b->opts.backfill; i++)
        b->lanes[it->choices[i].lane].closed = true;
}

int64_t backfill_next(const struct backfill *b)
{
    int64_t next = WHEN_NEVER;
    list_for_each (h, &b->holds, struct backfill_hold, link)
        next = h->use.start < next ? h->use.start : next;
    return next;
}

bool backfill_is_closed(const struct backfill *b)
{
    for (uint32_t i = 0; i < b->n_lanes; i++)
        if (!b->lanes[i].closed)
            return false;
    list_for_each (h, &b->holds, struct backfill_hold, link)
        if (h->claim && h->visited != b->pass) /* a closed lane may be open to it */
            return false;
    return b->n_lanes > 0;
}
