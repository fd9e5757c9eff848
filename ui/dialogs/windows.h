/* windows.h - times in which nodes are kept for something else: what the screens say of them. How they are
 * made, changed and deleted: window_edit.h. */
#ifndef UI_DIALOGS_WINDOWS_H
#define UI_DIALOGS_WINDOWS_H

#include "ui/frame/view.h"

#define WINDOW_SOON_S 86400 /* so long before it begins a window is worth a word */

/* The window that keeps jobs off the node now, or will within WINDOW_SOON_S; NULL. */
const struct window *windows_of_node(const struct ui *ui, const struct node *n);
/* Takes no new jobs: drained, down, lost, or a window keeps it. */
bool windows_node_is_out(const struct ui *ui, const struct node *n);
/* The sign of a node in front of its row, and what it is sorted by. */
void windows_node_sign(struct field *f, const struct ui *ui, const struct node *n);
/* "maintenance in 2 h: driver update", "kept for alice until 16:00:00". */
void windows_words(struct rich *r, const struct ui *ui, const struct window *w);

/* The list of them, with a new one for those nodes (compressed; NULL: none are meant) for who may. */
void windows_open(struct ui *ui, const char *nodes);
/* One of them, to be read, changed and deleted. */
void windows_show(struct ui *ui, const struct window *w);

#endif
