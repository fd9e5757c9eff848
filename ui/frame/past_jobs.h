/* past_jobs.h - jobs that have left the controller's state. Asked for with ui_want_past and ui_fetch_array.
 */
#ifndef UI_FRAME_PAST_JOBS_H
#define UI_FRAME_PAST_JOBS_H

#include "ui/state/view.h"

void past_jobs_new(struct ui *ui);
void past_jobs_free(struct ui *ui);
/* The job is about to leave the mirror. */
void past_jobs_keep(struct ui *ui, const struct job *j);
/* The connection is gone: what is wanted has to be asked for again. */
void past_jobs_lost(struct ui *ui);

#endif
