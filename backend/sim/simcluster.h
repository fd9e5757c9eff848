/* simcluster.h - the cluster that a simulation runs on: of a configuration whose nodes have their figures,
 * or as large as the machine of a trace. */
#ifndef STOKER_SIM_SIMCLUSTER_H
#define STOKER_SIM_SIMCLUSTER_H

#include "backend/sim/swf.h"
#include "src/model/spec.h"

/* What the nodes of a cluster have together. */
struct sim_capacity {
    uint32_t nodes;
    double cpus, mem_mib, gpus;
};

/* Owns: rec_fini(&cluster_spec_rec, ret). Errors: as conf_load; -EINVAL where a node's CPUs or memory are
 * left to be detected. */
int simcluster_load(const char *path, struct cluster_spec *ret, struct errtext *err)
    __attribute__((warn_unused_result));

/* One partition of MaxNodes nodes that share MaxProcs evenly; a node for each processor where that does not
 * come out even. */
int simcluster_of_trace(const struct swf *s, struct cluster_spec *ret, struct errtext *err)
    __attribute__((warn_unused_result));

/* What is taken where neither is given: four nodes with 32 CPUs, 256 GB and 4 GPUs each. */
void simcluster_small(struct cluster_spec *ret);

/* Of one partition; NULL: of the cluster. */
struct sim_capacity simcluster_capacity(const struct cluster_spec *c, const struct part_spec *part);

#endif
