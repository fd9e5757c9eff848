/* acctsource.h - jobs for accounting: those of the state and those of the history as one, each once.
 */
#ifndef STOKER_CLI_ACCTSOURCE_H
#define STOKER_CLI_ACCTSOURCE_H

#include "src/cli/ask.h"
#include "src/cli/jobfilter.h"

struct acct_query {
    struct job_filter filter;
    uint32_t states;          /* mask; 0: any. Of what was so between since and until */
    struct wall since, until; /* unset: whenever */
    bool duplicates;          /* every run of a job that was queued again, not only the last one meant */
};

/* Calls fn for every job that is meant, or run of it (src/model/runs.h): in the order of the raw ids, jobs
 * of the state and the history alike. m (initialised here, to be freed in any case) gets the configuration.
 * fn's job is valid during the call; what fn appends to `out` is put into the order of the ids, so that a
 * million rows need no million records. Returns 0, or a negative error with text: -ECONNRESET and the like,
 * -EACCES (refused). */
int acct_each(struct client *c, const struct acct_query *q, struct model *m, struct str *out,
              void (*fn)(void *ctx, struct str *out, const struct job *j, const struct model *m), void *ctx,
              struct errtext *err) __attribute__((warn_unused_result));

#endif
