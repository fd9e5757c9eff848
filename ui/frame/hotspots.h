/* hotspots.h - places of the picture whose click is an action: the names of the screens, the keys of the
 * footer, the tabs of a pane. They belong to the last picture. */
#ifndef UI_FRAME_HOTSPOTS_H
#define UI_FRAME_HOTSPOTS_H

#include "ui/state/view.h"

void hotspots_new(struct ui *ui);
void hotspots_free(struct ui *ui);

/* A new picture begins: it has none yet. */
void hotspots_clear(const struct ui *ui);
/* arg: what else there is to say, see hotspots_at; 0: nothing. */
void hotspots_add(const struct ui *ui, struct rect at, enum action action, size_t arg);
/* The action at a cell; ACTION_NONE: there is none. *ret_arg: its arg. */
enum action hotspots_at(const struct ui *ui, int y, int x, size_t *ret_arg);

#endif
