/* steprun.h - one step of srun: created, fed, shown, signalled, to its exit code. */
#ifndef STOKER_CLI_STEPRUN_H
#define STOKER_CLI_STEPRUN_H

#include "src/cli/step/follow.h"

struct steprun_options {
    bool quiet;
    bool unbuffered; /* bytes as they come, not lines */
    bool feed_stdin;
    bool disable_status;    /* -X: the first ^C goes to the tasks */
    bool quit_on_interrupt; /* the first ^C ends the step */
    bool pty;               /* it is on a terminal: this one hands keys and window on */
    bool attach;            /* the step is there: nothing is created, and leaving it ends nothing */
    int32_t step;           /* then */
    bool take;              /* from the client that writes to its terminal */
    uint32_t only[2];       /* --output=N, --error=N: 1 + the one rank whose output is shown; 0: all */
    bool label;             /* lines get their rank's number here, where their nodes do not put it there */
    uint32_t wait_s;        /* -W: after the first task has ended the others get so long; 0: for ever */
};

/* This end has left, or another one has taken over; the step goes on. */
#define STEPRUN_LEFT (-1)

/* Runs m (its request id set, its step filled in; NULL with attach) in f's job. f must take signals.
 * Returns srun's exit code, or STEPRUN_LEFT after saying so. */
int steprun(struct follow *f, struct msg_step_create *m, const struct steprun_options *opt);

#endif
