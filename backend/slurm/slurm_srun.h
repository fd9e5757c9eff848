/* slurm_srun.h - a cluster of Stoker's own inside an allocation of Slurm: agents started and reached by
 * srun.
 *
 *     stokerd --DIR/NODE.sock--> stoker-slurm --allocation
 *                                  |  once for each node, for as long as the cluster lives:
 *                                  +--srun--> sh: stoker-agent       (the tasks run in this step)
 *                                  |  for each connection of the controller:
 *                                  +--stoker-slurm --stream--srun--> stoker-agent --bridge
 *
 * Slurm is asked for these steps and for nothing else: none for a task. If a connection breaks, or the
 * controller is restarted, the agents and their tasks go on. With this program they end.
 */
#ifndef STOKER_BACKEND_SLURM_SLURM_SRUN_H
#define STOKER_BACKEND_SLURM_SLURM_SRUN_H

#include "src/base/err.h"

struct slurm_srun_settings {
    const char *job;  /* of Slurm */
    const char *home; /* STOKER_HOME of the cluster; on each node the agent keeps its files below it too */
    const char *commands;     /* directory of srun, scontrol */
    const char *self, *agent; /* programs */
};

/* Starts the agents, writes HOME/stoker.cfg, listens, prints "END\n" (ms since the Epoch; 0: no limit) to
 * standard output, calls ready, and serves until all agents have ended and no controller runs. Errors: a
 * negative errno with a text, in which Slurm's words are. */
int slurm_srun_serve(const struct slurm_srun_settings *s, void (*ready)(void *ctx), void *ctx,
                     struct errtext *err) __attribute__((warn_unused_result));

/* Joins standard input, a connection of the controller, with the agent of that node. Returns at its end. */
int slurm_srun_stream(const struct slurm_srun_settings *s, const char *node, struct errtext *err)
    __attribute__((warn_unused_result));

#endif
