/* jobs_table.h - the table of the jobs screen: what is in the queue. */
#ifndef UI_JOBS_JOBS_TABLE_H
#define UI_JOBS_JOBS_TABLE_H

#include "ui/jobs/jobs_rows.h"

#define GROUPS 3 /* of rows: running, waiting, ended */

struct joblist {
    struct jobcols cols;
    bool mine; /* only the user's own jobs */
    struct table table;
    struct jobrows rows;
    size_t n_jobs; /* all there are, before any filter */
};

void joblist_init(struct joblist *l, struct ui *ui);
void joblist_fini(struct joblist *l);
void joblist_update(struct joblist *l); /* the model has changed */
/* The row under the cursor, or NULL. */
const struct jobs_row *joblist_current(const struct joblist *l);

#endif
