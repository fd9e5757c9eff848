/* demand.h - what a waiting entry asks for, and what a node would give to it. */
#ifndef STOKER_BACKEND_SCHED_DEMAND_H
#define STOKER_BACKEND_SCHED_DEMAND_H

#include "backend/sched/resources/pool.h"
#include "src/model/model.h"

/* What j, or a task of its step s (NULL: the whole job), asks for in a partition. */
void demand_of_job(const struct job *j, const struct step *s, const struct part_spec *part,
                   struct demand *ret);

/* Whose its allocation is, and whether it shares nodes with jobs of other users; part may be NULL. */
struct pool_who demand_who(const struct job *j, const struct part_spec *part);

/* Whether a start at t is bound to groups of nodes. */
static inline bool demand_is_in_groups(const struct demand *d, int64_t t)
{
    return d->groups_max && t < d->groups_until;
}

/* Whether every node that takes part gives the same, known beforehand but for what "all of the node" means:
 * then the earliest time is found node by node. */
bool demand_is_uniform(const struct demand *d);
/* What one node gives to a uniform demand, or to one for one node or more that it takes whole. */
struct amount demand_on_node(const struct demand *d, const struct pool_node *n);

/* What is taken of nodes where at least so much is needed and so much is free; cap: of one of them. */
struct amount demand_takes(const struct demand *d, const struct amount *cap, struct amount least,
                           struct amount free);

/* Whether a node could take part with nothing else on it; of a uniform one, take its part. */
bool demand_could_be_on(const struct demand *d, const struct pool_node *n);

/* The k-th smallest of v[0..n), 1 <= k <= n; v is reordered: the k smallest come first. */
int64_t kth_smallest(int64_t *v, uint32_t n, uint32_t k);

/* A demand that may be spread, taken by pieces that are alike: k of them, `each` of which come in one
 * `need`. For counting alone: a little less than it takes where tasks and GPUs come in odd numbers. */
struct demand_pieces {
    struct amount need;
    uint32_t k, each;
};
struct demand_pieces demand_piece(const struct demand *d);

#endif
