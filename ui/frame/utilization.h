/* utilization.h - what was measured on the nodes: asked for while a view shows it. Read with ui_util,
 * ui_util_past and ui/frame/job_load.h. */
#ifndef UI_FRAME_UTILIZATION_H
#define UI_FRAME_UTILIZATION_H

#include "ui/state/view.h"

void utilization_new(struct ui *ui);
void utilization_free(struct ui *ui);
/* Whether the view on top shows measurements; job: of the nodes of that job alone, 0: of all. */
void utilization_want(struct ui *ui, bool want, uint32_t job);
/* What another engine tells of a job; takes the contents. */
void utilization_take_use(struct ui *ui, struct msg_job_use *use);
/* There is a new connection: the controller knows nothing of the wish yet. */
void utilization_connected(struct ui *ui);
/* Takes the contents of util. */
void utilization_take(struct ui *ui, struct msg_util *util);

#endif
