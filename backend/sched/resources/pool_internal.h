/* pool_internal.h - what pool_nodes.c, demand.c, placement.c, place_limited.c and earliest_start.c share.
 */
#ifndef STOKER_BACKEND_SCHED_POOL_INTERNAL_H
#define STOKER_BACKEND_SCHED_POOL_INTERNAL_H

#include "backend/sched/resources/demand.h"
#include "backend/sched/resources/pool.h"
#include "src/base/err.h"
#include "src/base/list.h"
#include "src/base/xalloc.h"

/* In nodes looked at, for pool.cost. */
#define POOL_COST_MOVE 6 /* a part of an allocation is put on a node's timeline, or taken off */
#define POOL_COST_TIME 4 /* a timeline is asked when so much is free */

#define WORDS_LIKE_A_NODE 16 /* reading as many words of a set costs as much as a node */

/* A node as a demand sees it. */
struct node_candidate {
    uint32_t node;
    uint32_t weight;
    uint32_t tasks, gpus; /* that it could take and give; once chosen: that it will */
    bool listed;
    struct amount free; /* throughout the time asked about */
};

struct group_sum {                     /* of a group, its candidates */
    uint32_t group, n, listed, weight; /* weight: of the lightest */
    uint64_t room;                     /* tasks, or GPUs if only their sum is given */
};

struct pool_scratch { /* of one pool: no search allocates */
    struct node_candidate *candidates;
    uint32_t *shares; /* two for each node */
    int64_t *times;   /* one for each node */
    VEC(int64_t) steps;
    VEC(struct group_sum) groups;
};
struct pool_scratch *scratch_new(uint32_t n_nodes);
void scratch_free(struct pool_scratch *w);

/* --- placement.c: among the candidates, which are in the scratch --- */

/* Collects nodes that could take part throughout [t, t + len); 0: not all listed ones could. */
uint32_t candidates_collect(struct pool *p, const struct demand *d, const struct nodeset *s, int64_t t,
                            int64_t len);
typedef int candidate_order(const void *, const void *);
candidate_order candidates_by_weight, candidates_by_tasks, candidates_by_gpus; /* the listed ones first */
/* Chooses, of n, the first in that order that are enough: put first, with what each will take. Returns how
 * many, `least` or more; 0: they are not enough. */
uint32_t candidates_choose(struct pool *p, uint32_t n, const struct demand *d, uint32_t least,
                           candidate_order *order);
/* Chooses, of n, in the usual order of preference. */
uint32_t candidates_choose_any(struct pool *p, uint32_t n, const struct demand *d, uint32_t listed);
/* The best of those that take all of it. */
uint32_t candidates_choose_one(struct pool *p, uint32_t n, const struct demand *d, bool must_be_listed);
struct amount candidate_takes(const struct node_candidate *v, const struct pool_node *n,
                              const struct job_need *need);
/* Puts what the chosen ones take into parts. */
void candidates_take(struct pool *p, uint32_t chosen, const struct demand *d, struct pool_parts *parts);

/* place_groups.c: as candidates_choose_any, within groups of nodes. */
uint32_t groups_choose(struct pool *p, uint32_t n, const struct demand *d, uint32_t listed, int64_t t);

static inline uint32_t clamp_u32(int64_t n)
{
    return n < 0 ? 0 : n > UINT32_MAX ? UINT32_MAX : (uint32_t)n;
}

/* The memory that n CPUs and GPUs take on a node. *ret_must: it must be free; else it is a share of
 * the node, taken as far as it goes. */
static inline int64_t demand_mem(const struct pool_node *n, const struct job_need *need, uint32_t cpus,
                                 uint32_t gpus, bool *ret_must)
{
    uint64_t per = need->mem_per_cpu_mib ? need->mem_per_cpu_mib : need->mem_per_gpu_mib;
    uint32_t times = need->mem_per_cpu_mib ? cpus : gpus;
    *ret_must = per || need->mem_per_node_mib != MEM_NOT_GIVEN;
    if (per)
        return times && per > (uint64_t)INT64_MAX / times ? INT64_MAX : (int64_t)(per * times);
    if (!*ret_must)
        return n->cap.cpus > 0
                   ? (int64_t)mem_share_mib((uint64_t)n->cap.mem_mib, clamp_u32(n->cap.cpus), cpus)
                   : n->cap.mem_mib;
    if (!need->mem_per_node_mib)
        return n->cap.mem_mib;
    return need->mem_per_node_mib > (uint64_t)INT64_MAX ? INT64_MAX : (int64_t)need->mem_per_node_mib;
}

/* Whether what a node gives depends on its size: all of it, or a share of its memory. */
bool demand_is_by_size(const struct demand *d);

#define nodeset_for_each(s, i)                                          \
    for (uint32_t w_ = 0; w_ < (s)->words; w_++)                        \
        for (uint64_t left_ = (s)->bits[w_]; left_; left_ &= left_ - 1) \
            for (uint32_t i = w_ * 64 + (uint32_t)__builtin_ctzll(left_), once_ = 1; once_; once_ = 0)

#endif
