/* node_jobs.h - the table of the jobs on a node, with what each has there. */
#ifndef UI_NODES_NODE_JOBS_H
#define UI_NODES_NODE_JOBS_H

#include "ui/state/view.h"

struct nodejobs {
    struct ui *ui;
    char *node;
    struct table table;
    struct node_job *rows;
    size_t n_rows;
};

void nodejobs_init(struct nodejobs *l, struct ui *ui, const char *node);
void nodejobs_fini(struct nodejobs *l);
/* The job of a row, of the one under the cursor; NULL: there is none. */
const struct job *nodejobs_job(const struct trow *row);
const struct job *nodejobs_current(const struct nodejobs *l);

#endif
