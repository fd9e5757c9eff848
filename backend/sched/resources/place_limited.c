/* place_limited.c - placement under limits.
 *
 * Limits count more for a job on one node than on another if it gets whole nodes, or a share of their
 * memory. The best placement may be too much, and another one not.
 */
#include "backend/sched/resources/pool_internal.h"

bool pool_allows(struct pool_judge *j, const struct pool_parts *parts, int64_t len)
{
    if (!j || !j->allows || j->allows(j->ctx, j->choice, parts, len))
        return true;
    j->refused = true;
    return false;
}

static bool limited_is_one_allowed(struct pool_judge *j, uint32_t node, struct amount takes, int64_t len)
{
    struct pool_part part = {.node = node, .amount = takes};
    struct pool_parts one = {.v = {.v = &part, .n = 1}}; /* lent: no job makes it grow */
    return pool_allows(j, &one, len);
}

/* All of it, or if it is spread so much of it as comes first. */
static struct amount limited_takes(const struct pool *p, const struct node_candidate *v,
                                   const struct demand *d)
{
    const struct job_need *need = &d->need;
    struct node_candidate part = *v;
    part.tasks = demand_is_uniform(d) ? need->tasks / need->nodes : need->nodes == 1 ? need->tasks : 1;
    part.gpus = need->gpus_anywhere   ? (need->nodes == 1 ? need->gpus : need->gpus > 0)
                : need->gpus_per_task ? part.tasks * need->gpus_per_task
                                      : need->gpus_per_node;
    return candidate_takes(&part, &p->nodes[v->node], need);
}

bool pool_node_is_allowed(const struct pool *p, const struct demand *d, uint32_t node, int64_t len,
                          struct pool_judge *judge)
{
    struct node_candidate v = {.node = node, .free = p->nodes[node].cap};
    return limited_is_one_allowed(judge, node, limited_takes(p, &v, d), len);
}

/* The best of the allowed nodes. */
static uint32_t limited_choose_one(struct pool *p, uint32_t n, const struct demand *d, bool must_be_listed,
                                   int64_t len, struct pool_judge *judge)
{
    struct node_candidate *v = p->work->candidates;
    uint32_t left = 0;
    for (uint32_t i = 0; i < n; i++)
        if (v[i].tasks >= d->need.tasks &&
            limited_is_one_allowed(judge, v[i].node, limited_takes(p, &v[i], d), len))
            v[left++] = v[i];
    return candidates_choose_one(p, left, d, must_be_listed);
}

enum limited { OF_GPUS, OF_CPUS, OF_MEMORY, N_LIMITED };

/* Nodes that give the least of it count as the lightest. */
static void limited_weigh(struct pool *p, uint32_t n, const struct demand *d, enum limited what)
{
    struct node_candidate *v = p->work->candidates;
    for (uint32_t i = 0; i < n; i++) {
        struct amount a = limited_takes(p, &v[i], d);
        v[i].weight = clamp_u32(what == OF_GPUS ? a.gpus : what == OF_CPUS ? a.cpus : a.mem_mib);
    }
}

static bool limited_place_on_several(struct pool *p, const struct demand *d, const struct nodeset *s,
                                     struct pool_span span, struct pool_judge *judge,
                                     struct pool_parts *parts)
{
    static candidate_order *const orders[] = {[OF_GPUS] = candidates_by_weight,
                                              [OF_CPUS] = candidates_by_weight,
                                              [OF_MEMORY] = candidates_by_weight,
                                              candidates_by_tasks,
                                              candidates_by_gpus};
    uint32_t listed = d->one_task ? 0 : s->n_listed;
    uint32_t least = listed > d->need.nodes ? listed : d->need.nodes;
    for (uint32_t i = 0; i < sizeof orders / sizeof *orders; i++) {
        uint32_t n = candidates_collect(p, d, s, span.from, span.len);
        if (i < N_LIMITED)
            limited_weigh(p, n, d, (enum limited)i);
        candidates_take(p, candidates_choose(p, n, d, least, orders[i]), d, parts);
        if (parts->v.n && pool_allows(judge, parts, span.len))
            return true;
    }
    return false;
}

static bool limited_place_elsewhere(struct pool *p, const struct demand *d, const struct nodeset *s,
                                    struct pool_span span, struct pool_judge *judge,
                                    struct pool_parts *parts)
{
    uint32_t listed = d->one_task ? 0 : s->n_listed;
    if (d->need.nodes == 1 && listed <= 1) {
        uint32_t n = candidates_collect(p, d, s, span.from, span.len);
        candidates_take(p, limited_choose_one(p, n, d, listed > 0, span.len, judge), d, parts);
        if (parts->v.n && pool_allows(judge, parts, span.len))
            return true;
    }
    return d->nodes_max > 1 && d->nodes_max >= listed && !demand_is_in_groups(d, span.from) &&
           limited_place_on_several(p, d, s, span, judge, parts);
}

bool pool_place_allowed(struct pool *p, const struct demand *d, const struct nodeset *s, int64_t t,
                        int64_t len, struct pool_judge *judge, struct pool_parts *parts)
{
    if (!pool_place(p, d, s, t, len, parts))
        return false;
    if (pool_allows(judge, parts, len))
        return true;
    /* It takes the same on each node; but a task needs no further node where its job is already. */
    bool same = demand_is_uniform(d) && !demand_is_by_size(d) && !d->one_task;
    struct pool_span at = {.from = t, .len = len};
    return !same && limited_place_elsewhere(p, d, s, at, judge, parts);
}
