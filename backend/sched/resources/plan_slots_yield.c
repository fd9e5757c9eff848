/* plan_slots_yield.c - a start by the time that a job is expected to run.
 *
 *     now            expected      planned start           limit        promised
 *      |- the job ------|  . . . . . . |. . . . . . . . . . .|- - - - - - - |
 *                                      |---- moves, at the latest to there ->
 *
 * A planned start that has moved earlier since it was promised has time to spare. The job starts only if
 * all planned starts that its limit runs into still come in time when it runs to its limit. If it ends as
 * expected, they are back before it matters.
 */
#include <stdlib.h>

#include "backend/sched/resources/plan_slots_internal.h"
#include "src/base/xalloc.h"

#define YIELD_MAX 8 /* slots that may move for one job */

struct slot_move {
    struct plan_slot *slot;
    struct pool_parts parts; /* where it was */
    int64_t start, end;
    struct placement to;
};

struct yielding {
    struct plan_slots *b;
    const struct plan_yield *y;
    struct pool_use mine; /* of the job, to its limit */
    struct slot_move moves[YIELD_MAX];
    uint32_t n;
    bool too_many;
};

/* In the first of its partitions in which it fits for that long, with its limit there. */
static bool yield_place(struct plan_slots *b, const struct plan_request *it, int64_t expected,
                        bool to_limit, struct placement *ret)
{
    for (uint32_t i = 0; i < it->n_choices; i++) {
        const struct plan_choice *c = &it->choices[i];
        int64_t len = plan_request_length_at(it, i, b->pool->now);
        if (b->partitions[c->partition].closed || expected >= len ||
            !plan_request_is_in_time(it, b->pool->now, len))
            continue;
        struct pool_judge judge = plan_request_judge(it, i);
        ret->choice = i;
        ret->start = b->pool->now;
        ret->len = len;
        if (c->own)
            pool_suspend(b->pool, c->own);
        bool placed =
            pool_place_allowed(b->pool, c->demand, c->set, ret->start, expected, &judge, &ret->parts);
        if (c->own)
            pool_restore(b->pool, c->own);
        if (placed && (!to_limit || pool_allows(&judge, &ret->parts, len)))
            return true;
    }
    return false;
}

bool plan_slots_fits_for(struct plan_slots *b, const struct plan_request *it, int64_t len)
{
    struct placement at = {0};
    bool fits = yield_place(b, it, len, false, &at);
    placement_fini(&at);
    return fits;
}

static void yield_note(struct yielding *x, struct plan_slot *h)
{
    for (uint32_t i = 0; i < x->n; i++)
        if (x->moves[i].slot == h)
            return;
    if (h->use.start >= x->mine.end || plan_slot_is_valid(x->b, h))
        return;
    x->too_many = x->too_many || x->n == YIELD_MAX;
    if (!x->too_many)
        x->moves[x->n++] = (struct slot_move){.slot = h, .start = h->use.start, .end = h->use.end};
}

static int yield_by_booking(const void *pa, const void *pb)
{
    const struct slot_move *a = pa, *b = pb;
    return a->slot->nth < b->slot->nth ? -1 : a->slot->nth > b->slot->nth;
}

/* The slots that the job's limit runs into, in the order of the book. False: one of them cannot move. */
static bool yield_find(struct yielding *x)
{
    for (uint32_t i = 0; i < x->mine.n_parts; i++)
        list_for_each (on, &x->b->on_node[x->mine.parts[i].node], struct slot_on_node, link)
            yield_note(x, on->slot);
    if (x->n > 1)
        qsort(x->moves, x->n, sizeof *x->moves, yield_by_booking);
    for (uint32_t i = 0; i < x->n; i++) {
        const struct plan_slot *h = x->moves[i].slot;
        if (h->by_preemption || h->suspended || h->latest <= h->use.start)
            return false;
    }
    return !x->too_many && x->n;
}

/* A new place for each, in order, while the job and those before it are there. */
static bool yield_search(struct yielding *x)
{
    struct plan_request it;
    struct pool_use held[YIELD_MAX] = {0};
    uint32_t n = 0;
    bool found = true;
    for (uint32_t i = 0; i < x->n && found; i++) {
        struct slot_move *m = &x->moves[i];
        found = x->y->request(x->y->ctx, m->slot, &it) &&
                plan_slots_earliest(x->b, &it, when_plus(m->slot->latest, 1), &m->to);
        if (found)
            pool_plan(x->b->pool, &held[n++], &m->to.parts, m->to.start, when_plus(m->to.start, m->to.len));
    }
    while (n)
        pool_drop(x->b->pool, &held[--n]);
    return found;
}

static void yield_put(struct plan_slots *b, struct plan_slot *h, const struct pool_parts *parts,
                      int64_t start, int64_t end)
{
    struct plan_slot was = *h;
    plan_slots_note_freed_all(b, &h->use);
    pool_drop(b->pool, &h->use);
    plan_slots_unlink(b, h);
    b->n_dropped++;
    *h = (struct plan_slot){.partition = was.partition,
                            .tier_at = was.tier_at,
                            .tier = was.tier,
                            .visited = was.visited,
                            .promised = was.promised,
                            .latest = was.latest,
                            .limited = was.limited,
                            .is_earliest = true,
                            .own = was.own,
                            .job = was.job};
    pool_plan(b->pool, &h->use, parts, start, end);
    plan_slots_link(b, h, was.counts);
    h->mark = plan_slots_freed_mark(b);
}

static void yield_move(struct yielding *x)
{
    for (uint32_t i = 0; i < x->n; i++) {
        struct slot_move *m = &x->moves[i];
        m->parts = pool_parts_of(&m->slot->use);
        yield_put(x->b, m->slot, &m->to.parts, m->to.start, when_plus(m->to.start, m->to.len));
    }
}

static void yield_move_back(struct yielding *x)
{
    for (uint32_t i = 0; i < x->n; i++) {
        struct slot_move *m = &x->moves[i];
        yield_put(x->b, m->slot, &m->parts, m->start, m->end);
    }
}

/* With the slots where they are now. */
static bool yield_is_fine(struct yielding *x, const struct plan_request *it, const struct placement *at)
{
    for (uint32_t i = 0; i < x->n; i++)
        if (!x->y->stands(x->y->ctx, x->moves[i].slot))
            return false;
    return !it->leaves || it->leaves(it->ctx, at->choice, &at->parts, at->start, at->len);
}

bool plan_slots_start_expected(struct plan_slots *b, const struct plan_request *it,
                               const struct plan_yield *y, struct placement *ret)
{
    struct yielding x = {.b = b, .y = y};
    if (!yield_place(b, it, y->expected, true, ret))
        return false;
    pool_plan(b->pool, &x.mine, &ret->parts, ret->start, when_plus(ret->start, ret->len));
    bool found = yield_find(&x);
    if (found) {
        for (uint32_t i = 0; i < x.n; i++)
            pool_suspend(b->pool, &x.moves[i].slot->use);
        found = plan_slots_is_use_valid(b, &x.mine, it->choices[ret->choice].own) && yield_search(&x);
        for (uint32_t i = 0; i < x.n; i++)
            pool_restore(b->pool, &x.moves[i].slot->use);
    }
    if (found)
        yield_move(&x);
    pool_drop(b->pool, &x.mine);
    if (found && !yield_is_fine(&x, it, ret)) {
        yield_move_back(&x);
        found = false;
    }
    for (uint32_t i = 0; i < x.n; i++) {
        vec_fini(&x.moves[i].parts.v);
        placement_fini(&x.moves[i].to);
    }
    return found;
}
