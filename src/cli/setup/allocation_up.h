/* allocation_up.h - stoker up --in-allocation: a cluster of one's own on the nodes of a job of Slurm. */
#ifndef STOKER_CLI_ALLOCATION_UP_H
#define STOKER_CLI_ALLOCATION_UP_H

#include "src/base/time.h"
#include "src/cli/cmd.h"
#include "src/client/client.h"

/* Makes the directory of the cluster, sets STOKER_HOME to it, and has the agents started on the nodes,
 * unless all that is there already. *ret_end: when the allocation ends; unset: it has no limit, or it was
 * there already. Returns 0, or an exit code after saying why. */
int allocation_prepare(const struct cli *cli, struct wall *ret_end) __attribute__((warn_unused_result));
/* Keeps the planner from what cannot end in time, and prints what a shell is to evaluate. Returns an exit
 * code. */
int allocation_tell(const struct cli *cli, struct client *c, struct wall end);

#endif
