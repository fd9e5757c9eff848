/* history_table.h - the table of the history: jobs that have ended. */
#ifndef UI_JOBS_HISTORY_TABLE_H
#define UI_JOBS_HISTORY_TABLE_H

#include "ui/jobs/jobs_rows.h"

struct pastlist {
    struct jobcols cols;
    struct table table;
    bool mine;
    const struct job **jobs; /* latest end first */
    size_t n_jobs, n_all;    /* n_all: before anything was left out */
    size_t room;             /* jobs that there is room for */
    struct jobrows rows;     /* of an array what has ended of it, where the latest did */
};

void pastlist_init(struct pastlist *l, struct ui *ui);
void pastlist_fini(struct pastlist *l);
const struct job *pastlist_job(const struct trow *row); /* NULL where row is */
/* How much of what they had the jobs of the list used, in percent, each weighed by what it had for how
 * long; -1: not measured. */
struct past_use {
    int mem_percent, cpu_percent, gpu_percent; /* -1: not measured */
};
struct past_use pastlist_use(const struct pastlist *l);
/* What the filter says that the controller can look for by itself. Texts are the filter's. */
void pastlist_want(const struct pastlist *l, struct past_want *ret);

#endif
