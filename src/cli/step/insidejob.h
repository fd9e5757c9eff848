/* insidejob.h - into a job that runs: what srun and sbcast do before they ask for a step in it. */
#ifndef STOKER_CLI_INSIDEJOB_H
#define STOKER_CLI_INSIDEJOB_H

#include "src/cli/step/follow.h"

/* Connects, follows the job and takes signals. Where this process runs in a job, a controller that is away
 * is waited for.
 * Returns 0: a step may be asked for, f is the caller's to finish; else the exit code, after saying why. */
int insidejob_open(const struct cli *cli, uint32_t job, struct follow *f)
    __attribute__((warn_unused_result));

#endif
