/* slurm_refused.h - the nodes of a partition against a waiting job, one by one, by what Slurm says of them.
 * Pure.
 *
 * A node counts for the first thing that rules it out: its features, its size, its state, what is free on
 * it, a reservation. Memory counts where Slurm hands it out: elsewhere its nodes say that none is in use.
 */
#ifndef STOKER_BACKEND_SLURM_SLURM_REFUSED_H
#define STOKER_BACKEND_SLURM_SLURM_REFUSED_H

#include "src/model/cause.h"
#include "src/model/model.h"

enum slurm_refusal { /* in the order in which they are told */
                     SLURM_FREE_GPUS,
                     SLURM_FREE_CPUS,
                     SLURM_FREE_MEMORY,
                     SLURM_NOT_EMPTY,
                     SLURM_FEW_GPUS,
                     SLURM_FEW_CPUS,
                     SLURM_LITTLE_MEMORY,
                     SLURM_GPU_TYPE,
                     SLURM_FEATURES,
                     SLURM_NOT_ASKED,
                     SLURM_WINDOW,
                     SLURM_DRAINED,
                     SLURM_OUT,
                     SLURM_FITS,
                     SLURM_N_REFUSALS
};

struct slurm_demand { /* on each of the nodes */
    uint32_t nodes, cpus, gpus;
    uint64_t mem_mib;
    bool whole; /* nodes of its own */
};

struct slurm_refused_node {
    const struct node *node;
    enum slurm_refusal why;
};

struct slurm_refused {
    const struct part_spec *part;
    struct slurm_demand demand;
    uint32_t n, by[SLURM_N_REFUSALS];
    struct slurm_demand most;         /* that any of its nodes has: nodes is not used */
    uint64_t free_cpus, free_gpus;    /* on the nodes that are up, in sum */
    const struct window *window;      /* the first in its way; NULL: none */
    struct slurm_refused_node *nodes; /* of the partition: n of them */
};

/* j: its request says what is not in squeue too (nodes by name, nodes of its own) as far as it is known.
 * ret: slurm_refused_fini. Cost: O(nodes). */
void slurm_refused_count(const struct model *m, const struct job *j, const struct part_spec *part,
                         struct slurm_refused *ret);
void slurm_refused_fini(struct slurm_refused *r);

/* The nodes that were refused so: compressed; NULL: none. Caller frees. */
char *slurm_refused_names(const struct slurm_refused *r, enum slurm_refusal why);
/* No node of the partition could ever do, too few of them would. */
bool slurm_refused_is_never(const struct slurm_refused *r);
/* Nodes are missing because they are down, drained or do not answer, not because others use them. */
bool slurm_refused_is_out(const struct slurm_refused *r);

/* NO_PLACE, NODES_ARE_OUT or NEVER_FITS, with its parts; nothing is said where enough nodes would do. */
void slurm_refused_cause(const struct slurm_refused *r, const struct job *j, struct cause *ret);

/* When enough nodes will do, if what is known to run ends at its time limit. Returns the job that makes
 * room last; NULL: not known. */
const struct job *slurm_refused_room(const struct model *m, const struct slurm_refused *r,
                                     struct wall *ret_when);

#endif
