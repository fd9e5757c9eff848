/* aside.h - work in a thread beside the screens. Started with ui_aside. */
#ifndef UI_FRAME_ASIDE_H
#define UI_FRAME_ASIDE_H

#include "ui/state/view.h"

/* Readable when work has ended; -1: there is none. Then aside_wake. */
int aside_fd(const struct ui *ui);
void aside_wake(struct ui *ui);
/* The view goes: the end of its work is not told to it any more. */
void aside_forget(struct ui *ui, const struct view *owner);
void aside_free(struct ui *ui);

#endif
