/* windows.h - times in which nodes are kept for something else: their list, and the box of one. What is
 * said of them elsewhere: window_text.h; how they are made, changed and deleted: window_edit.h. */
#ifndef UI_DIALOGS_WINDOWS_H
#define UI_DIALOGS_WINDOWS_H

#include "ui/frame/view.h"

/* The list of them, with a new one for those nodes (compressed; NULL: none are meant) for who may. */
void windows_open(struct ui *ui, const char *nodes);
/* One of them, to be read, changed and deleted. */
void windows_show(struct ui *ui, const struct window *w);

#endif
