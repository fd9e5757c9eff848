/* jobs_rows.h - the rows of a table of jobs: plain jobs, arrays as one row with their elements below.
 *
 * A walk hands in the jobs in the order that the rows are to have; an array stands where its first one
 * does, and its jobs side by side in an order of their own.
 */
#ifndef UI_JOBS_JOBS_ROWS_H
#define UI_JOBS_JOBS_ROWS_H

#include "src/base/idmap.h"
#include "ui/jobs/job_columns.h"

#define ARRAY_ROW (1ull << 63) /* in the id of a row: an array as a whole */

/* An array as a whole. */
struct array_row {
    uint32_t id;
    const struct job *any;                 /* one of its jobs, for what they have in common */
    const struct job *pending;             /* the record of what has not started, or NULL */
    const struct job *oldest;              /* the element that runs longest, or NULL */
    const struct job *last;                /* of those that are here: what ended last, or NULL */
    uint32_t run, wait, done, fail, ended; /* elements, also those that have left the state; ended:
                                              cancelled and the like */
    uint32_t total;
    uint64_t cpus, gpus, nodes;  /* of those that run or are about to end */
    size_t first, n;             /* its jobs, in jobrows.members */
    const struct jobs_row *open; /* the rows of its jobs, n of them; NULL: the table shows none */
};

/* There is one of each job of a screen: what can be found out is not stored. */
struct jobs_row {
    struct jobcols_row cols;
    const struct array_row *array; /* the array, or that of the element; NULL: neither */
};

struct jobrows_found { /* a job of an array, as the walk has brought it */
    const struct job *job;
    uint32_t array, index;
};

struct jobrows {
    bool flat;        /* set before it is filled: no arrays, each of their jobs is a row */
    bool has_retired; /* ... elements that have left the state come as well, and are not counted twice */
    struct jobs_row *rows; /* those of the table, then those of elements */
    struct array_row *arrays;
    const struct job **members; /* of all arrays */
    uint32_t *indices;          /* theirs; UINT32_MAX: of the record of what has not started */
    struct jobrows_found *found;
    size_t n_rows, n_arrays, n_found;
    uint32_t n_run, n_wait; /* jobs and elements that run, and that wait */
    size_t room;            /* jobs */
    struct idmap by_number; /* of arrays, while it is filled */
};

void jobrows_fini(struct jobrows *r);

typedef void jobrows_each_fn(struct jobrows *r, const struct job *j);
/* Calls each for every job there is to be, at most max of them. */
typedef void jobrows_walk_fn(void *ctx, struct jobrows *r, jobrows_each_fn *each);
/* Makes the rows. Where there is room they stay in their place: the rows of before may still be seen. */
void jobrows_fill(struct jobrows *r, size_t max, jobrows_walk_fn *walk, void *ctx);
/* Puts the elements of those arrays in the order of their numbers that the table shows the elements of. */
void jobrows_order(struct jobrows *r, const struct table *t);
/* Adds them to a table, the elements of branches that are open too. ui: whose watched jobs get their sign;
 * NULL: none. */
void jobrows_give(struct jobrows *r, struct table *t, const struct ui *ui);

/* The array as a whole that has or would have the job of a row, for a table; 0: none. */
uint64_t jobrows_parent(const void *row);
/* The job of a row; NULL: the row is an array as a whole. */
const struct job *jobrows_job(const struct jobs_row *r);
/* What stands in a row of the table; NULL where row is. */
const struct jobs_row *jobrows_row(const struct trow *row);
/* A column: "4711", "4711_3", "4711_[0-199]". */
void jobrows_id(const void *ctx, const void *row, struct table_field *f);

#endif
