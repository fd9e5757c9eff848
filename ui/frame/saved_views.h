/* saved_views.h - what a screen shows, kept under a name: filter, order, columns. */
#ifndef UI_FRAME_SAVED_VIEWS_H
#define UI_FRAME_SAVED_VIEWS_H

#include "ui/state/view.h"

/* Keeps what the screen shows under a name; false: it has no table. */
bool saved_view_keep(struct ui *ui, const char *name);
/* Shows what was kept under that name; false: nothing was, or no screen of ours. */
bool saved_view_show(struct ui *ui, const char *name);

#endif
