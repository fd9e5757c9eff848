/* free_index.h - the nodes by the CPUs and GPUs that are free on them: what a search need not look at.
 *
 * On a full cluster nearly all nodes are full, and a search that looks at each of them to find that out
 * costs as much as the cluster is large. The index has one bit for each node and level: it is set if that
 * much (1, 2, 4 ... ) is free. 64 nodes are passed over at a time.
 */
#ifndef STOKER_BACKEND_SCHED_FREE_INDEX_H
#define STOKER_BACKEND_SCHED_FREE_INDEX_H

#include "backend/sched/resources/timeline.h"

struct free_index {
    uint64_t *bits; /* of all levels, one after the other: owned */
    uint32_t words; /* of a level */
};

/* Nothing is free. */
void free_index_init(struct free_index *x, uint32_t n_nodes);
void free_index_fini(struct free_index *x);
/* What is free on a node has changed. Cost: O(levels in between). */
void free_index_move(struct free_index *x, uint32_t node, struct amount before, struct amount after);

struct free_rows { /* of two levels */
    const uint64_t *cpus, *gpus;
};

/* The rows that have every node with so much free, and some others. */
struct free_rows free_index_rows(const struct free_index *x, int64_t cpus, int64_t gpus);

static inline uint64_t free_rows_word(const struct free_rows *r, uint32_t w)
{
    return r->gpus ? r->cpus[w] & r->gpus[w] : r->cpus[w];
}

#endif
