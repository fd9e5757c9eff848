/* job_columns.h - the columns that all tables of jobs have, each written once: the queue's and the
 * history's.
 *
 * The context of such a table begins with a struct jobcols, each of its rows with a struct jobcols_row.
 */
#ifndef UI_JOBS_JOB_COLUMNS_H
#define UI_JOBS_JOB_COLUMNS_H

#include "ui/state/view.h"

struct jobcols {
    struct ui *ui;
};

struct jobcols_row {
    const struct job *shown; /* of an array one of its jobs, for what they have in common */
};

void jobcols_name(const void *ctx, const void *row, struct table_field *f);
void jobcols_user(const void *ctx, const void *row, struct table_field *f); /* one's own stands out */
void jobcols_account(const void *ctx, const void *row, struct table_field *f);
void jobcols_qos(const void *ctx, const void *row, struct table_field *f);
void jobcols_partition(const void *ctx, const void *row,
                       struct table_field *f); /* while it waits those asked for */
void jobcols_submitted(const void *ctx, const void *row, struct table_field *f);
void jobcols_directory(const void *ctx, const void *row, struct table_field *f);
void jobcols_comment(const void *ctx, const void *row, struct table_field *f);

/* For other columns: nothing is shown where the time is not set. */
void jobcols_when(const void *ctx, struct table_field *f, struct wall t);

#endif
