/* search.c - when a demand fits at the earliest.
 *
 * A uniform demand (so many nodes, each giving the same) is found node by node: each has an earliest time
 * of its own, the demand starts when enough of them agree. Others are tried at the times when something
 * comes free.
 */
#include <stdlib.h>

#include "backend/sched/pool_private.h"

#define LOOKS_MAX 400000u /* nodes looked at, time after time, for one demand that is not uniform */

/* The k-th smallest of v[0..n), 1 <= k <= n; v is reordered. */
static int64_t kth_smallest(int64_t *v, uint32_t n, uint32_t k)
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

/* What each node of a uniform demand must give; all the same where no node's size has a part in it. */
struct each {
    const struct demand *d;
    bool same;
    struct amount need;
};

static struct each each_of(const struct demand *d)
{
    const struct job_need *n = &d->need;
    bool share = n->mem_per_node_mib == MEM_NOT_GIVEN || !n->mem_per_node_mib;
    bool by_size = n->whole_nodes || (share && !n->mem_per_cpu_mib && !n->mem_per_gpu_mib);
    struct each e = {.d = d, .same = !by_size};
    if (e.same)
        e.need = demand_on_node(d, &(struct pool_node){0});
    return e;
}

static inline struct amount need_on(const struct each *e, const struct pool_node *n)
{
    return e->same ? e->need : demand_on_node(e->d, n);
}

/* Earliest times of the nodes, from t on and before `before`, into scratch; returns how many have one. */
static uint32_t times_of_nodes(struct pool *p, const struct each *e, const struct nodeset *s, int64_t t,
                               int64_t before, int64_t len, bool listed_only)
{
    uint32_t n = 0;
    p->looks += s->n;
    nodeset_for_each(s, i)
    {
        const struct pool_node *node = &p->nodes[i];
        if (!node->usable || (listed_only && !nodeset_is_listed(s, i)))
            continue;
        struct amount need = need_on(e, node);
        if (!amount_covers(node->cap, need))
            continue;
        int64_t at = !node->n_holds && t <= p->now && amount_covers(node->free_now, need)
                         ? t
                         : timeline_next(&node->line, t, len, need);
        if (at < before)
            p->work->times[n++] = at;
    }
    return n;
}

/* Whether k of the nodes are free from `at` on, which so many of them are at the earliest from t on (n
 * times in scratch): where nothing is held, who is free stays so; the others are asked again. */
static bool agree(const struct pool *p, const struct each *e, const struct nodeset *s, int64_t t,
                  int64_t at, int64_t len, uint32_t n)
{
    uint32_t k = 0;
    for (uint32_t i = 0; i < n; i++)
        k += p->work->times[i] <= at;
    nodeset_for_each(s, i)
    {
        const struct pool_node *node = &p->nodes[i];
        if (!node->n_holds || !node->usable)
            continue;
        struct amount need = need_on(e, node);
        if (!amount_covers(node->cap, need))
            continue;
        k -= timeline_next(&node->line, t, len, need) <= at;
        k += timeline_next(&node->line, at, len, need) == at;
    }
    return k >= e->d->need.nodes;
}

static int64_t earliest_uniform(struct pool *p, const struct demand *d, const struct nodeset *s,
                                int64_t from, int64_t before, int64_t len)
{
    uint32_t listed = d->one_task ? 0 : s->n_listed;
    struct each e = each_of(d);
    for (int64_t t = from;;) {
        uint32_t k = d->need.nodes;
        uint32_t n = times_of_nodes(p, &e, s, t, before, len, listed >= k);
        if (n < k || listed > k)
            return WHEN_NEVER;
        int64_t at = kth_smallest(p->work->times, n, k);
        /* Some listed nodes and others beside them: the listed ones are part of it. */
        if (listed && listed < k) {
            n = times_of_nodes(p, &e, s, t, before, len, true);
            if (n < listed)
                return WHEN_NEVER;
            int64_t listed_at = kth_smallest(p->work->times, n, listed);
            at = at > listed_at ? at : listed_at;
        }
        /* Nodes that were free earlier may have a hold at that time: ask again from there. */
        if (at == t || k == 1 || (!listed && agree(p, &e, s, t, at, len, n)))
            return at;
        t = at;
    }
}

static int by_time(const void *pa, const void *pb)
{
    const int64_t *a = pa, *b = pb;
    return *a < *b ? -1 : *a > *b;
}

/* The times when something changes on the set's nodes, ascending. Returns whether there are holds. */
static bool collect_steps(struct pool *p, const struct nodeset *s, int64_t from, int64_t before)
{
    bool holds = false;
    vec_clear(&p->work->steps);
    vec_push(&p->work->steps, from);
    p->looks += s->n;
    nodeset_for_each(s, i)
    {
        const struct pool_node *node = &p->nodes[i];
        if (!node->usable)
            continue;
        holds = holds || node->n_holds;
        for (uint32_t k = 0; k < node->line.n; k++)
            if (node->line.v[k].t > from && node->line.v[k].t < before)
                vec_push(&p->work->steps, node->line.v[k].t);
    }
    int64_t *v = p->work->steps.v;
    size_t n = 0;
    qsort(v, p->work->steps.n, sizeof *v, by_time);
    for (size_t i = 0; i < p->work->steps.n; i++)
        if (i == 0 || v[i] != v[n - 1])
            v[n++] = v[i];
    p->work->steps.n = n;
    return holds;
}

static int64_t earliest_uneven(struct pool *p, const struct demand *d, const struct nodeset *s,
                               int64_t from, int64_t before, int64_t len, struct pool_parts *parts)
{
    bool holds = collect_steps(p, s, from, before);
    const int64_t *v = p->work->steps.v;
    size_t n = p->work->steps.n, low = 0, looks = LOOKS_MAX / (s->n + 1) + 16;
    for (; holds && low < n && looks; low++, looks--)
        if (pool_place(p, d, s, v[low], len, parts))
            return v[low];
    /* Without holds it only ever gets more; with them mostly. */
    for (size_t high = n; low < high;) {
        size_t mid = low + (high - low) / 2;
        if (pool_place(p, d, s, v[mid], len, parts))
            n = high = mid;
        else
            low = mid + 1;
    }
    return n < p->work->steps.n && pool_place(p, d, s, v[n], len, parts) ? v[n] : WHEN_NEVER;
}

int64_t pool_earliest(struct pool *p, const struct demand *d, const struct nodeset *s, int64_t from,
                      int64_t before, int64_t len, struct pool_parts *parts)
{
    if (!demand_is_uniform(d))
        return earliest_uneven(p, d, s, from, before, len, parts);
    int64_t t = earliest_uniform(p, d, s, from, before, len);
    if (t != WHEN_NEVER && !pool_place(p, d, s, t, len, parts))
        return WHEN_NEVER;
    return t;
}
