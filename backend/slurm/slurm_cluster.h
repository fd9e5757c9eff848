/* slurm_cluster.h - nodes, partitions and the configuration, as `scontrol` prints them. Pure. */
#ifndef STOKER_BACKEND_SLURM_SLURM_CLUSTER_H
#define STOKER_BACKEND_SLURM_SLURM_CLUSTER_H

#include "backend/slurm/slurm_value.h"
#include "src/model/node_rec.h"
#include "src/model/spec.h"

/* A line of `scontrol -o -d show node`. Counts of CPUs and GPUs stand as sets that begin at 0; n_jobs is 1
 * where something is allocated, because the line does not tell how many jobs there are. False where it is
 * not a node, or one that is only planned (FUTURE). *ret is to be freed with rec_fini. */
bool slurm_node_read(const struct slurm_span *line, struct node *ret) __attribute__((warn_unused_result));

/* A line of `scontrol -o show partition`. False where it is not a partition. */
bool slurm_partition_read(const struct slurm_span *line, struct part_spec *ret)
    __attribute__((warn_unused_result));

/* The value of a line "KEY = value" of `scontrol show config`; NULL where there is none. Caller frees. */
char *slurm_config_value(const struct slurm_span *text, const char *key)
    __attribute__((warn_unused_result));
/* The PriorityWeight lines of that answer; the other members are left alone. */
void slurm_config_weights(const struct slurm_span *text, struct priority_spec *ret);

#endif
