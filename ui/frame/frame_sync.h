/* frame_sync.h - what follows from a change of the model. */
#ifndef UI_FRAME_FRAME_SYNC_H
#define UI_FRAME_FRAME_SYNC_H

#include "ui/state/view.h"

/* Brings the views up to the model. Before anything looks at rows: those of before the change hold pointers
 * that are void. */
void frame_sync(struct ui *ui);

#endif
