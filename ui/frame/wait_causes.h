/* wait_causes.h - why the jobs wait that are on the screen. Read with ui_wait. */
#ifndef UI_FRAME_WAIT_CAUSES_H
#define UI_FRAME_WAIT_CAUSES_H

#include "ui/state/view.h"

void wait_causes_new(struct ui *ui);
void wait_causes_free(struct ui *ui);
/* The model has changed: causes may be others. */
void wait_causes_changed(struct ui *ui);
/* After a picture: asks for those of its rows. */
void wait_causes_ask(struct ui *ui);

#endif
