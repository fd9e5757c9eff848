/* windows.h - maintenance windows and reservations: their list, and the box of one. Their texts elsewhere
 * are in window_text.h; window_edit.h creates, changes and deletes them. */
#ifndef UI_DIALOGS_WINDOWS_H
#define UI_DIALOGS_WINDOWS_H

#include "ui/state/view.h"

/* The list; administrators can create a window for those nodes (compressed; NULL: none). */
void windows_open(struct ui *ui, const char *nodes);
/* The box of one window, with its actions. */
void windows_show(struct ui *ui, const struct window *w);

#endif
