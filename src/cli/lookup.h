/* lookup.h - one thing by its name: JOB[.STEP[.TASK]] from the command line to records. */
#ifndef STOKER_CLI_LOOKUP_H
#define STOKER_CLI_LOOKUP_H

#include "src/cli/ask.h"
#include "src/jobspec/jobtargets.h"

struct job_lookup {
    struct client *client;
    struct model m;
    struct job_target target;
    uint32_t task;           /* NOT_GIVEN: none named */
    const struct job *job;   /* the one job; NULL where the name stands for several */
    const struct step *step; /* NULL: none named */
    uint32_t n_jobs;         /* that the name stands for */
};

/* Connects, asks and finds: in the state, else in the history. Returns 0, or the exit code after saying
 * why. In any case l is to be freed with lookup_fini. */
int lookup_open(struct job_lookup *l, const struct cli *cli, const char *word)
    __attribute__((warn_unused_result));
/* The same for the only operand of a command about one job: an array's name is not enough. */
int lookup_open_one(struct job_lookup *l, const struct cli *cli, const struct strv *operands)
    __attribute__((warn_unused_result));
void lookup_fini(struct job_lookup *l);

/* The only operand of a command that takes one. Returns it, or NULL after saying what is wrong. */
const char *only_job(const struct cli *cli, const struct strv *operands);

#endif
