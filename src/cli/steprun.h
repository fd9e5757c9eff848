/* steprun.h - one step of srun: created, fed, shown, signalled, to its exit code. */
#ifndef STOKER_CLI_STEPRUN_H
#define STOKER_CLI_STEPRUN_H

#include "src/cli/follow.h"

struct steprun_options {
    bool quiet;
    bool unbuffered; /* bytes as they come, not lines */
    bool feed_stdin;
    bool disable_status; /* -X: the first ^C goes to the tasks */
    uint32_t wait_s;     /* -W: after the first task has ended the others get so long; 0: for ever */
};

/* Runs m (its request id set, its step filled in) in f's job. f must take signals. Returns srun's exit
 * code. */
int steprun(struct follow *f, struct msg_step_create *m, const struct steprun_options *opt);

#endif
