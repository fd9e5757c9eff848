/* place_groups.c - placement within groups of nodes: a rack, or what one switch connects.
 *
 * A demand for several nodes goes to one group if one has the nodes: that with the lightest node, then the
 * one with the fewest candidates, so that large groups stay free for large jobs. Otherwise it lies on any
 * nodes, or, with `--switches=N`, on those of N groups: the ones that can take most.
 */
#include <stdlib.h>

#include "backend/sched/resources/pool_internal.h"

static int groups_lightest(const void *pa, const void *pb)
{
    const struct group_sum *a = pa, *b = pb;
    if (a->weight != b->weight)
        return a->weight < b->weight ? -1 : 1;
    if (a->n != b->n)
        return a->n < b->n ? -1 : 1;
    return a->group < b->group ? -1 : a->group > b->group;
}

/* Those with nodes that the request names come first. */
static int groups_roomiest(const void *pa, const void *pb)
{
    const struct group_sum *a = pa, *b = pb;
    if (!a->listed != !b->listed)
        return a->listed ? -1 : 1;
    if (a->room != b->room)
        return a->room > b->room ? -1 : 1;
    return groups_lightest(pa, pb);
}

/* Of n candidates, by group; returns how many groups have some. */
static uint32_t groups_sum(struct pool *p, uint32_t n, const struct demand *d)
{
    const struct node_candidate *v = p->work->candidates;
    uint32_t kept = 0;
    vec_clear(&p->work->groups);
    for (uint32_t g = 0; g <= p->n_groups; g++)
        vec_push(&p->work->groups, (struct group_sum){.group = g, .weight = UINT32_MAX});
    struct group_sum *sums = p->work->groups.v;
    for (uint32_t i = 0; i < n; i++) {
        struct group_sum *s = &sums[p->nodes[v[i].node].group];
        s->n++;
        s->listed += v[i].listed;
        s->room += d->need.gpus_anywhere ? v[i].gpus : v[i].tasks;
        s->weight = v[i].weight < s->weight ? v[i].weight : s->weight;
    }
    for (uint32_t g = 0; g <= p->n_groups; g++)
        if (sums[g].n)
            sums[kept++] = sums[g];
    return kept;
}

/* Puts the candidates of k groups first; returns how many they are. */
static uint32_t groups_put_first(struct pool *p, uint32_t n, const struct group_sum *groups, uint32_t k)
{
    struct node_candidate *v = p->work->candidates;
    uint32_t first = 0;
    for (uint32_t i = 0; i < n; i++) {
        bool is_in = false;
        for (uint32_t g = 0; g < k && !is_in; g++)
            is_in = groups[g].group == p->nodes[v[i].node].group;
        if (!is_in)
            continue;
        struct node_candidate swap = v[first];
        v[first++] = v[i];
        v[i] = swap;
    }
    return first;
}

static uint32_t groups_choose_among(struct pool *p, uint32_t n, const struct demand *d, uint32_t listed,
                                    const struct group_sum *groups, uint32_t k)
{
    uint32_t named = 0, nodes = 0;
    for (uint32_t g = 0; g < k; g++) {
        named += groups[g].listed;
        nodes += groups[g].n;
    }
    return named < listed || nodes < d->need.nodes
               ? 0
               : candidates_choose_any(p, groups_put_first(p, n, groups, k), d, listed);
}

uint32_t groups_choose(struct pool *p, uint32_t n, const struct demand *d, uint32_t listed, int64_t t)
{
    bool bound = demand_is_in_groups(d, t);
    uint32_t groups = groups_sum(p, n, d), chosen = 0;
    if (groups < 2 || d->nodes_max == 1)
        return candidates_choose_any(p, n, d, listed);
    if (d->need.nodes == 1 && listed < 2 && (chosen = candidates_choose_one(p, n, d, listed > 0)))
        return chosen;
    qsort(p->work->groups.v, groups, sizeof *p->work->groups.v, groups_lightest);
    for (uint32_t g = 0; g < groups && !chosen; g++)
        chosen = groups_choose_among(p, n, d, listed, &p->work->groups.v[g], 1);
    if (!bound)
        return chosen ? chosen : candidates_choose_any(p, n, d, listed);
    qsort(p->work->groups.v, groups, sizeof *p->work->groups.v, groups_roomiest);
    for (uint32_t k = 2; k <= d->groups_max && k <= groups && !chosen; k++)
        chosen = groups_choose_among(p, n, d, listed, p->work->groups.v, k);
    return chosen;
}
