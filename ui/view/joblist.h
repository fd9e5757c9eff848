/* joblist.h - the rows of the jobs screen: plain jobs, arrays as one row with their elements below. */
#ifndef UI_VIEW_JOBLIST_H
#define UI_VIEW_JOBLIST_H

#include "ui/view/jobcols.h"
#include "ui/widget/table.h"

#define ARRAY_ROW (1ull << 63) /* in the id of a row: an array as a whole */

/* An array as a whole. */
struct array_row {
    uint32_t id;
    const struct job *any;                 /* one of its jobs, for what they have in common */
    const struct job *pending;             /* the record of what has not started, or NULL */
    const struct job *oldest;              /* the element that runs longest, or NULL */
    uint32_t run, wait, done, fail, ended; /* elements; ended: cancelled and the like */
    uint32_t total;
    size_t first, n; /* its jobs, in joblist.members */
};

struct job_row {
    struct jobcols_row cols;
    const struct job *job;         /* NULL: an array */
    const struct array_row *array; /* NULL: a job that belongs to none */
};

struct joblist {
    struct jobcols cols;
    bool mine; /* only the jobs of who sits here */
    struct table table;
    struct job_row *rows; /* as many as there are jobs, and arrays */
    struct array_row *arrays;
    const struct job **members;
    size_t n_rows, n_arrays, n_jobs; /* n_jobs: all there are, before any filter */
};

void joblist_init(struct joblist *l, struct ui *ui);
void joblist_fini(struct joblist *l);
void joblist_update(struct joblist *l); /* the model has changed */
/* The row under the cursor, or NULL. */
const struct job_row *joblist_current(const struct joblist *l);
const struct job_row *joblist_row(const struct trow *row);

#endif
