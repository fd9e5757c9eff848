/* why_view.h - why a job waits, as the controller explains it: all causes with numbers. */
#ifndef UI_JOBS_WHY_VIEW_H
#define UI_JOBS_WHY_VIEW_H

#include "ui/jobs/jobs_rows.h"

/* The answer as lines. */
void why_lines(struct lines *l, const struct msg_why *w, const struct ui *ui);
/* Asks and shows the answer in a box, which is kept up while it is open. */
void why_open(struct ui *ui, const struct job *j);
/* Of an array nothing of which waits: how it went. members: its jobs. */
void why_open_array(struct ui *ui, const struct array_row *a, const struct job *const *members);

#endif
