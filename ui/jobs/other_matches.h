/* other_matches.h - how many jobs of other users match the filter while a list shows one's own alone.
 *
 * They are counted in slices, as work between inputs.
 */
#ifndef UI_JOBS_OTHER_MATCHES_H
#define UI_JOBS_OTHER_MATCHES_H

#include "ui/jobs/jobs_table.h"

struct other_matches {
    char *filter;              /* what is counted; NULL: nothing is */
    const struct job *at;      /* the next one to be looked at; NULL: all have been */
    const struct model *model; /* whose jobs are looked at: a snapshot brings another one */
    uint64_t seq;              /* of the model that it is in */
    uint32_t found, n;         /* n: of the last time that all were looked at */
    size_t n_jobs;             /* that the model had when counting began */
    struct mono counted;
};

void othermatches_fini(struct other_matches *o);
/* The model has changed: pointers into it are void. */
void othermatches_sync(struct other_matches *o, struct joblist *l);
/* One slice; returns true where there is more. *ret_done: n has changed. */
bool othermatches_work(struct other_matches *o, struct joblist *l, bool *ret_done);

#endif
