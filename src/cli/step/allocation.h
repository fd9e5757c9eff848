/* allocation.h - an interactive job: asked for, waited for, given back. What salloc and srun outside of
 * jobs have in common. */
#ifndef STOKER_CLI_ALLOCATION_H
#define STOKER_CLI_ALLOCATION_H

#include "src/cli/step/follow.h"
#include "src/cli/step/submission.h"

struct allocation_options {
    const char *failed; /* "Unable to allocate resources" */
    bool quiet;
    bool granted_lines;   /* salloc's "Pending job allocation N", "Granted job allocation N" */
    uint32_t immediate_s; /* give up where it has not started so soon; 0: wait */
    bool own;             /* the job ends with this process */
    bool children;        /* take SIGCHLD too */
};

/* Submits m (test_only must be false) and waits until the job has its nodes. Returns 0: f follows the
 * running job and takes signals; else an exit code, said why, and f is as good as not initialised. INT,
 * TERM and HUP while waiting take the job back. */
int allocation_get(const struct cli *cli, const struct msg_submit *m, const struct allocation_options *opt,
                   struct follow *f) __attribute__((warn_unused_result));

/* The job is done with: code as a shell has it (128 + n for a signal n). Waits for the controller's word; f
 * is finished then. */
void allocation_end(struct follow *f, int code);

#endif
