/* alloc.h - which CPUs and which GPUs of a node a start gets: the lowest that are free. */
#ifndef STOKER_BACKEND_SCHED_ALLOC_H
#define STOKER_BACKEND_SCHED_ALLOC_H

#include "backend/sched/resources/pool.h"
#include "src/model/model.h"

struct node_free { /* what is left on a node in one scheduling cycle */
    uint64_t cycle;
    struct cpuset cpus, gpus;
};

/* Takes the lowest free CPUs and GPUs of each part's node; `left` has one for each node of m. False: a node
 * has less than that; the result is to be freed all the same. */
bool alloc_take(struct node_free *left, uint64_t cycle, const struct model *m,
                const struct pool_parts *parts, struct alloc **ret, size_t *ret_n)
    __attribute__((warn_unused_result));

#endif
