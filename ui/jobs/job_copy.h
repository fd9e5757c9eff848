/* job_copy.h - the menu of what can be copied of a job: id, files, nodes, command line, script. */
#ifndef UI_JOBS_JOB_COPY_H
#define UI_JOBS_JOB_COPY_H

#include "ui/state/view.h"

/* Opens the menu. The script and the arguments are asked for when they are chosen. t: the list with its
 * row, or NULL. */
void job_copy_open(struct ui *ui, const struct job *j, struct table *t);

#endif
