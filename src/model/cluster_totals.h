/* cluster_totals.h - the sums over a cluster: what runs and waits, what is used of the nodes and what is
 * out. */
#ifndef STOKER_MODEL_CLUSTER_TOTALS_H
#define STOKER_MODEL_CLUSTER_TOTALS_H

#include "src/model/model_state.h"

struct cluster_totals {
    uint32_t jobs;             /* in the state, those that have ended too */
    uint32_t running, waiting; /* waiting: the record of an array counts as its elements */
    uint32_t nodes, nodes_used,
        nodes_out;           /* login nodes are not counted; out: takes no jobs and has none */
    uint32_t nodes_out_used; /* take no jobs and still have some: of nodes_used */
    uint64_t cpus, cpus_used, cpus_out, gpus, gpus_used,
        gpus_out;        /* out: not used, of nodes that are out */
    uint64_t gpus_split; /* free on nodes whose other GPUs are in use: a whole-node job cannot have them */
    struct wall edge;    /* a window begins or ends then, and the sums are others; unset: none does */
};
#define CLUSTER_TOTALS_FIELDS(F, G, S)                                                                       \
    F(S, U32, jobs) F(S, U32, running) F(S, U32, waiting) F(S, U32, nodes) F(S, U32, nodes_used)             \
    F(S, U32, nodes_out) F(S, U64, cpus) F(S, U64, cpus_used) F(S, U64, cpus_out) F(S, U64, gpus)            \
    F(S, U64, gpus_used) F(S, U64, gpus_out) F(S, WALL, edge)                         \
    F(S, U64, gpus_split) F(S, U32, nodes_out_used)
extern const struct rec_desc cluster_totals_rec;

/* Cost: O(nodes + arrays). */
struct cluster_totals model_totals(const struct model *m, struct wall now);

#endif
