/* earliest_start.c - the earliest start of a demand.
 *
 * A uniform demand (n nodes, each giving the same) is found node by node: each node has an earliest
 * time, and the demand starts when enough of them agree. Other demands are tried at the times when
 * something comes free.
 */
#include <stdlib.h>

#include "backend/sched/resources/pool_internal.h"

#define LOOKS_MAX 400000u /* nodes looked at, time after time, for one demand that is not uniform */

int64_t kth_smallest(int64_t *v, uint32_t n, uint32_t k)
{
    uint32_t low = 0, high = n - 1, want = k - 1;
    while (low < high) {
        int64_t pivot = v[low + (high - low) / 2];
        uint32_t i = low, j = high;
        while (i <= j) {
            while (v[i] < pivot)
                i++;
            while (v[j] > pivot)
                j--;
            if (i <= j) {
                int64_t swap = v[i];
                v[i++] = v[j];
                v[j] = swap;
                if (j-- == 0)
                    break;
            }
        }
        if (want <= j && j != UINT32_MAX)
            high = j;
        else if (want >= i)
            low = i;
        else
            return v[want];
    }
    return v[want];
}

/* What each node of a uniform demand must give; the same for all unless it depends on the size of
 * the node. */
struct node_share {
    const struct demand *d;
    bool same;
    struct amount need;
};

static struct node_share earliest_each_of(const struct demand *d)
{
    struct node_share e = {.d = d, .same = !demand_is_by_size(d)};
    if (e.same)
        e.need = demand_on_node(d, &(struct pool_node){0});
    return e;
}

static inline struct amount earliest_need_on(const struct node_share *e, const struct pool_node *n)
{
    return e->same ? e->need : demand_on_node(e->d, n);
}

/* When the node has that much for len, beside the users that are there; any later time if that is not
 * before `before`. */
static int64_t earliest_on_node(const struct pool_node *n, const struct demand *d, int64_t t,
                                int64_t before, int64_t len, struct amount need)
{
    for (int64_t at = t; at < before; at = t) {
        at = timeline_next_before(&n->line, at, before, len, need);
        t = at >= before ? at : node_users_next(&n->users, d->who, at, len);
        if (t == at)
            break;
    }
    return t;
}

/* Earliest times of the nodes, from t on and before `before`, into scratch; returns how many have one. Of
 * more than k those that are later than the k-th may be left out. */
static uint32_t earliest_times_of_nodes(struct pool *p, const struct node_share *e, const struct nodeset *s,
                                        int64_t t, int64_t before, int64_t len, bool listed_only)
{
    uint32_t n = 0, k = e->d->need.nodes, next = k;
    p->cost += (uint64_t)s->n * POOL_COST_TIME;
    nodeset_for_each(s, i)
    {
        const struct pool_node *node = &p->nodes[i];
        if (!node->usable || (listed_only && !nodeset_is_listed(s, i)))
            continue;
        struct amount need = earliest_need_on(e, node);
        if (!amount_covers(node->cap, need))
            continue;
        int64_t at = !node->n_planned && t <= p->now && amount_covers(node->free_now, need)
                         ? node_users_next(&node->users, e->d->who, t, len)
                         : earliest_on_node(node, e->d, t, before, len, need);
        if (at < before)
            p->work->times[n++] = at;
        if (n == next) {
            int64_t kth = kth_smallest(p->work->times, n, k);
            before = kth < before ? kth + 1 : before;
            next = 2 * n;
        }
    }
    return n;
}

/* Whether k of the nodes are free from `at` on, the earliest time of k of them (n times in scratch).
 * Without planned starts a free node stays free; the others are asked again. */
static bool earliest_agree(const struct pool *p, const struct node_share *e, const struct nodeset *s,
                           int64_t t, int64_t at, int64_t len, uint32_t n)
{
    uint32_t k = 0;
    for (uint32_t i = 0; i < n; i++)
        k += p->work->times[i] <= at;
    nodeset_for_each(s, i)
    {
        const struct pool_node *node = &p->nodes[i];
        if (!node->n_planned || !node->usable)
            continue;
        struct amount need = earliest_need_on(e, node);
        if (!amount_covers(node->cap, need))
            continue;
        k -= earliest_on_node(node, e->d, t, at + 1, len, need) <= at;
        k += earliest_on_node(node, e->d, at, at + 1, len, need) == at;
    }
    return k >= e->d->need.nodes;
}

static int64_t earliest_uniform(struct pool *p, const struct demand *d, const struct nodeset *s,
                                int64_t from, int64_t before, int64_t len)
{
    uint32_t listed = d->one_task ? 0 : s->n_listed;
    struct node_share e = earliest_each_of(d);
    for (int64_t t = from;;) {
        uint32_t k = d->need.nodes;
        uint32_t n = earliest_times_of_nodes(p, &e, s, t, before, len, listed >= k);
        if (n < k || listed > k)
            return WHEN_NEVER;
        int64_t at = kth_smallest(p->work->times, n, k);
        /* Some listed nodes and others beside them: the listed ones are part of it. */
        if (listed && listed < k) {
            n = earliest_times_of_nodes(p, &e, s, t, before, len, true);
            if (n < listed)
                return WHEN_NEVER;
            int64_t listed_at = kth_smallest(p->work->times, n, listed);
            at = at > listed_at ? at : listed_at;
        }
        /* Nodes that were free earlier may have a planned start at that time: ask again from there. */
        if (at == t || k == 1 || (!listed && earliest_agree(p, &e, s, t, at, len, n)))
            return at;
        t = at;
    }
}

static int earliest_by_time(const void *pa, const void *pb)
{
    const int64_t *a = pa, *b = pb;
    return *a < *b ? -1 : *a > *b;
}

/* The times when something changes on the nodes of the set, ascending. Returns whether there are planned
 * starts. */
static bool earliest_collect_steps(struct pool *p, const struct demand *d, const struct nodeset *s,
                                   int64_t from, int64_t before)
{
    bool holds = false;
    vec_clear(&p->work->steps);
    vec_push(&p->work->steps, from);
    if (demand_is_in_groups(d, from) && d->groups_until < before)
        vec_push(&p->work->steps, d->groups_until);
    p->cost += s->n;
    nodeset_for_each(s, i)
    {
        const struct pool_node *node = &p->nodes[i];
        if (!node->usable)
            continue;
        holds = holds || node->n_planned;
        for (uint32_t k = 0; k < node->line.n; k++)
            if (node->line.v[k].t > from && node->line.v[k].t < before)
                vec_push(&p->work->steps, node->line.v[k].t);
        vec_for_each (&node->users.v, k) /* a step is missing where as much begins as ends */
            if (node->users.v.v[k].end > from && node->users.v.v[k].end < before)
                vec_push(&p->work->steps, node->users.v.v[k].end);
    }
    int64_t *v = p->work->steps.v;
    size_t n = 0;
    qsort(v, p->work->steps.n, sizeof *v, earliest_by_time);
    for (size_t i = 0; i < p->work->steps.n; i++)
        if (i == 0 || v[i] != v[n - 1])
            v[n++] = v[i];
    p->work->steps.n = n;
    return holds;
}

/* Tries time after time; judge NULL: whatever is free. */
static int64_t earliest_by_steps(struct pool *p, const struct demand *d, const struct nodeset *s,
                                 struct pool_span span, struct pool_judge *judge, struct pool_parts *parts)
{
    bool holds = earliest_collect_steps(p, d, s, span.from, span.before);
    const int64_t *v = p->work->steps.v;
    size_t n = p->work->steps.n, low = 0, cost = LOOKS_MAX / (s->n + 1) + 16;
    for (; holds && low < n && cost; low++, cost--)
        if (pool_place_allowed(p, d, s, v[low], span.len, judge, parts))
            return v[low];
    /* Without planned starts free amounts only grow; with them mostly. */
    for (size_t high = n; low < high;) {
        size_t mid = low + (high - low) / 2;
        if (pool_place_allowed(p, d, s, v[mid], span.len, judge, parts))
            n = high = mid;
        else
            low = mid + 1;
    }
    bool found = n < p->work->steps.n && pool_place_allowed(p, d, s, v[n], span.len, judge, parts);
    return found ? v[n] : WHEN_NEVER;
}

int64_t pool_earliest(struct pool *p, const struct demand *d, const struct nodeset *s,
                      struct pool_span span, struct pool_parts *parts)
{
    if (!demand_is_uniform(d) || (p->n_groups && demand_is_in_groups(d, span.from)))
        return earliest_by_steps(p, d, s, span, NULL, parts);
    int64_t t = earliest_uniform(p, d, s, span.from, span.before, span.len);
    if (t != WHEN_NEVER && !pool_place(p, d, s, t, span.len, parts))
        return WHEN_NEVER;
    return t;
}

/* On one node: only nodes whose part the judge allows. */
static int64_t earliest_on_cheap_one(struct pool *p, const struct demand *d, const struct nodeset *s,
                                     struct pool_span span, struct pool_judge *judge,
                                     struct pool_parts *parts)
{
    struct nodeset cheap;
    nodeset_init(&cheap, p->n_nodes);
    nodeset_for_each(s, i) if (pool_node_is_allowed(p, d, i, span.len, judge)) nodeset_add(&cheap, i);
    p->cost += s->n;
    int64_t t = cheap.n ? pool_earliest(p, d, &cheap, span, parts) : WHEN_NEVER;
    nodeset_fini(&cheap);
    return t != WHEN_NEVER && pool_allows(judge, parts, span.len) ? t : WHEN_NEVER;
}

int64_t pool_earliest_allowed(struct pool *p, const struct demand *d, const struct nodeset *s,
                              struct pool_span span, struct pool_judge *judge, struct pool_parts *parts)
{
    int64_t t = pool_earliest(p, d, s, span, parts);
    if (t == WHEN_NEVER || pool_allows(judge, parts, span.len))
        return t;
    if (demand_is_uniform(d) && !demand_is_by_size(d)) /* it takes the same wherever it is */
        return WHEN_NEVER;
    span.from = t;
    if (demand_is_uniform(d) && d->need.nodes == 1 && (!s->n_listed || d->one_task))
        return earliest_on_cheap_one(p, d, s, span, judge, parts);
    return earliest_by_steps(p, d, s, span, judge, parts);
}
