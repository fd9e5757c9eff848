/* plan_slots_list.c - the planned starts as lists: all of them, those that count against each partition,
 * those on each node, and those that give way to a request and are out of the pool for a moment.
 */
#include <stdlib.h>

#include "backend/sched/resources/plan_slots_internal.h"
#include "backend/sched/resources/pool_internal.h"
#include "src/base/idmap.h"
#include "src/base/xalloc.h"

void plan_slots_note_stay(struct plan_slots *b, struct plan_slot *h)
{
    if (h->stays || (!h->by_preemption && h->visited != b->iteration))
        return;
    const int64_t what[] = {h->job, h->use.start, h->use.end};
    h->stays = hash_bytes(what, sizeof what);
    b->stay += h->stays;
}

void plan_slots_count(struct plan_slots *b, struct plan_slot *h, uint32_t partition)
{
    if (h->counts != NO_PARTITION)
        list_unlink(&h->in_count);
    h->counts = partition;
    if (partition != NO_PARTITION)
        list_append(&b->counted[partition], &h->in_count);
}

void plan_slots_mark_suspended(struct plan_slots *b, struct plan_slot *h)
{
    h->suspended = true;
    vec_push(&b->suspended, h);
}

void plan_slots_forget_suspended(struct plan_slots *b)
{
    vec_for_each (&b->suspended, i)
        b->suspended.v[i]->suspended = false;
    vec_clear(&b->suspended);
}

void plan_slots_unmark_suspended(struct plan_slots *b, const struct plan_slot *h)
{
    size_t n = 0;
    for (size_t i = 0; h->suspended && i < b->suspended.n; i++)
        if (b->suspended.v[i] != h)
            b->suspended.v[n++] = b->suspended.v[i];
    b->suspended.n = h->suspended ? n : b->suspended.n;
}

void plan_slots_link(struct plan_slots *b, struct plan_slot *h, uint32_t counts)
{
    h->nth = b->n_booked++;
    b->n_planned++;
    h->counts = NO_PARTITION;
    h->n_on = h->use.n_parts;
    h->on = xcalloc(h->n_on ? h->n_on : 1, sizeof *h->on);
    for (uint32_t i = 0; i < h->n_on; i++) {
        h->on[i].slot = h;
        list_init(&h->on[i].link);
        list_append(&b->on_node[h->use.parts[i].node], &h->on[i].link);
    }
    list_append(&b->list, &h->link);
    plan_slots_count(b, h, counts);
    plan_slots_note_stay(b, h);
}

void plan_slots_unlink(struct plan_slots *b, struct plan_slot *h)
{
    b->stay -= h->stays;
    b->n_planned--;
    plan_slots_unmark_suspended(b, h);
    for (uint32_t i = 0; i < h->n_on; i++)
        list_unlink(&h->on[i].link);
    free(h->on);
    plan_slots_count(b, h, NO_PARTITION);
    list_unlink(&h->link);
    *h = (struct plan_slot){0};
}

void plan_slots_visit(struct plan_slots *b, struct plan_slot *h)
{
    h->visited = b->iteration;
    if (h->use.parts)
        plan_slots_note_stay(b, h);
}

/* --- giving way --- */

static bool plan_slots_holds_on(const struct plan_slot *h, const struct plan_request *it)
{
    for (uint32_t k = 0; k < h->use.n_parts; k++)
        for (uint32_t i = 0; i < it->n_choices; i++)
            if (nodeset_has(it->choices[i].set, h->use.parts[k].node))
                return true;
    return false;
}

struct slots_suspended { /* which slots */
    bool own_tier;       /* and not only lower ones */
    bool has_slot;       /* of lower tiers */
    bool visited;        /* those that this iteration has visited as well */
};

/* Slots that this iteration has not visited are of jobs behind the request. A request that may have no slot
 * itself leaves those of its own tier, and none takes the nodes of an older promise. A preemptor's slot
 * gives way only to a higher tier: otherwise a victim could take back the room that it was preempted
 * for. */
static bool plan_slots_gives_way(const struct plan_slots *b, const struct plan_slot *h,
                                 const struct plan_request *it, struct slots_suspended what)
{
    bool lower = h->tier < it->tier;
    bool behind = h->by_preemption ? lower && what.has_slot
                                   : lower || (what.own_tier && !plan_slots_is_senior(h, it));
    return (what.visited || h->visited != b->iteration) && behind && plan_slots_holds_on(h, it);
}

static void plan_slots_ask(struct plan_slots *b, struct plan_slot *h, const struct plan_request *it,
                           struct slots_suspended what)
{
    b->pool->cost++;
    if (!h->suspended && plan_slots_gives_way(b, h, it, what))
        plan_slots_mark_suspended(b, h);
}

static int plan_slots_by_booking(const void *pa, const void *pb)
{
    const struct plan_slot *const *a = pa, *const *b = pb;
    return (*a)->nth < (*b)->nth ? -1 : (*a)->nth > (*b)->nth;
}

/* Those that lie on the nodes of the request, in the order of the list. */
static void plan_slots_ask_on_nodes(struct plan_slots *b, const struct plan_request *it,
                                    struct slots_suspended what)
{
    for (uint32_t i = 0; i < it->n_choices; i++) {
        const struct nodeset *s = it->choices[i].set;
        b->pool->cost += s->words / WORDS_LIKE_A_NODE + 1;
        nodeset_for_each(s, node) list_for_each (x, &b->on_node[node], struct slot_on_node, link)
            plan_slots_ask(b, x->slot, it, what);
    }
    if (b->suspended.n > 1)
        qsort(b->suspended.v, b->suspended.n, sizeof(struct plan_slot *), plan_slots_by_booking);
}

/* Asks the slots on the nodes of the request, or all slots if these are fewer than the nodes. */
static bool plan_slots_lift(struct plan_slots *b, const struct plan_request *it,
                            struct slots_suspended what)
{
    uint64_t nodes = 0;
    for (uint32_t i = 0; i < it->n_choices; i++)
        nodes += it->choices[i].set->n;
    plan_slots_forget_suspended(b);
    if (nodes < b->n_planned)
        plan_slots_ask_on_nodes(b, it, what);
    else
        list_for_each (h, &b->list, struct plan_slot, link)
            plan_slots_ask(b, h, it, what);
    vec_for_each (&b->suspended, i)
        pool_suspend(b->pool, &b->suspended.v[i]->use);
    b->lifts = b->suspended.n > 0;
    return b->lifts;
}

bool plan_slots_suspend_behind(struct plan_slots *b, const struct plan_request *it)
{
    return plan_slots_lift(
        b, it, (struct slots_suspended){.own_tier = plan_slots_may_book(b, it), .has_slot = true});
}

bool plan_slots_suspend_all(struct plan_slots *b, const struct plan_request *it)
{
    return plan_slots_lift(b, it,
                           (struct slots_suspended){.own_tier = true, .has_slot = true, .visited = true});
}

bool plan_slots_suspend_plans_behind(struct plan_slots *b, const struct plan_request *it,
                                     bool by_preemption)
{
    return plan_slots_lift(
        b, it, (struct slots_suspended){.own_tier = plan_slots_may_book(b, it), .has_slot = by_preemption});
}

bool plan_slots_suspend_plans_below(struct plan_slots *b, const struct plan_request *it, bool by_preemption)
{
    return plan_slots_lift(b, it, (struct slots_suspended){.has_slot = by_preemption});
}

void plan_slots_restore_behind(struct plan_slots *b)
{
    b->lifts = false;
    vec_for_each (&b->suspended, i)
        pool_restore(b->pool, &b->suspended.v[i]->use);
}

bool plan_slots_fits_above(struct plan_slots *b, const struct plan_request *it, struct placement *ret)
{
    bool any = plan_slots_lift(b, it, (struct slots_suspended){.has_slot = true, .visited = true});
    bool fits = any && plan_slots_fits_beside(b, it, ret);
    plan_slots_restore_behind(b);
    return fits;
}

bool plan_slots_is_use_valid(struct plan_slots *b, struct pool_use *use, struct pool_use *own)
{
    bool sound = true;
    pool_suspend(b->pool, use);
    if (own)
        pool_suspend(b->pool, own);
    for (uint32_t i = 0; i < use->n_parts && sound; i++) {
        const struct pool_part *part = &use->parts[i];
        const struct pool_node *n = &b->pool->nodes[part->node];
        sound = n->usable && amount_covers(timeline_min(&n->line, use->start, use->end), part->amount) &&
                node_users_allow(&n->users, use->who, use->start, use->end);
    }
    if (own)
        pool_restore(b->pool, own);
    pool_restore(b->pool, use);
    return sound;
}

bool plan_slot_is_valid(struct plan_slots *b, struct plan_slot *h)
{
    return plan_slots_is_use_valid(b, &h->use, h->own);
}

void plan_slots_drop_displaced(struct plan_slots *b)
{
    for (size_t i = 0; i < b->suspended.n;) {
        struct plan_slot *h = b->suspended.v[i];
        if (plan_slot_is_valid(b, h)) {
            i++;
            continue;
        }
        plan_slots_drop(b, h); /* it is no longer among them */
        h->lost = b->iteration;
    }
}

/* --- spreading --- */

bool plan_slots_widen(struct plan_slots *b, const struct plan_request *it, struct placement *at)
{
    const struct plan_choice *c = &it->choices[at->choice];
    if (!c->demand->need.most_nodes || it->fewest)
        return false;
    struct pool_judge judge = plan_request_judge(it, at->choice);
    struct pool_parts wide = {.v = VEC_INIT};
    if (c->own)
        pool_suspend(b->pool, c->own);
    bool wider = pool_widen(b->pool, c->demand, c->set, at->len, (uint32_t)at->parts.v.n, &judge, &wide);
    if (c->own)
        pool_restore(b->pool, c->own);
    wider = wider && (!it->leaves || it->leaves(it->ctx, at->choice, &wide, at->start, at->len));
    if (wider) {
        struct pool_parts swap = at->parts;
        at->parts = wide;
        wide = swap;
    }
    vec_fini(&wide.v);
    /* The limits were asked about other places meanwhile, and keep what they said last. */
    return pool_allows(&judge, &at->parts, at->len) && wider;
}
