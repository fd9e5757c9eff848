/* why_view.h - why a job waits, as the controller explains it: a page with all causes and their numbers,
 * and a picture of the moment when there is room. */
#ifndef UI_JOBS_WHY_VIEW_H
#define UI_JOBS_WHY_VIEW_H

#include "ui/jobs/jobs_rows.h"

extern const struct view_ops why_view; /* arg: uint32_t *, a job in the queue */

/* Shows the page of a job; it is kept up to date while it is open. */
void why_open(struct ui *ui, const struct job *j);
/* Of an array nothing of which waits: how it went. members: its jobs. */
void why_open_array(struct ui *ui, const struct array_row *a, const struct job *const *members);

#endif
