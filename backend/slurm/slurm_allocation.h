/* slurm_allocation.h - what an allocation of Slurm holds, and a cluster of Stoker's made of it. Pure. */
#ifndef STOKER_BACKEND_SLURM_SLURM_ALLOCATION_H
#define STOKER_BACKEND_SLURM_SLURM_ALLOCATION_H

#include "backend/slurm/slurm_value.h"
#include "src/base/err.h"
#include "src/base/vec.h"

struct allocation_node {
    char *name;
    uint32_t cpus, gpus;
    uint64_t mem_mib;      /* 0: Slurm does not hand out memory there */
    char *gpu_type;        /* or NULL */
    struct strv gpu_names; /* of its GPUs, as CUDA_VISIBLE_DEVICES names them; empty: by their numbers */
};

struct slurm_allocation {
    char *job;
    struct wall end; /* unset: it has no limit */
    VEC(struct allocation_node) nodes;
};

/* line: of `scontrol -o -d show job JOB` (SLURM_TIME_FORMAT=%s). Errors: -EBADMSG with a text. The caller
 * frees *ret with slurm_allocation_fini in any case. */
int slurm_allocation_read(const struct slurm_span *line, struct slurm_allocation *ret, struct errtext *err)
    __attribute__((warn_unused_result));
void slurm_allocation_fini(struct slurm_allocation *a);

/* Fills in the memory of nodes that have none from lines of `scontrol -o show node`. */
void slurm_allocation_take_memory(struct slurm_allocation *a, const struct slurm_span *nodes);

/* Appends the stoker.cfg of a cluster of these nodes, whose agents are reached at DIR/NODE.sock. now: for
 * the time that is left. */
void slurm_allocation_config(struct str *out, const struct slurm_allocation *a, const char *dir,
                             struct wall now);

#endif
