/* later.h - what waits some seconds before it is done, so that it can be undone. Set with ui_later. */
#ifndef UI_FRAME_LATER_H
#define UI_FRAME_LATER_H

#include "ui/state/view.h"

/* Does it at once. For a program that is about to end, or to give the terminal away. */
void later_run(struct ui *ui);
/* Does it if its time has come. */
void later_due(struct ui *ui);
/* Drops it, and says so; false: nothing waits. */
bool later_undo(struct ui *ui);
void later_drop(struct ui *ui);
/* When it is due; 0: nothing waits. */
struct mono later_until(const struct ui *ui);
/* What waits, for the footer; undo: the action whose key undoes it. */
void later_text(const struct ui *ui, enum action undo, struct rich *r);

#endif
