/* watch.h - jobs that are watched: bell, title and a line when they change. Set with ui_watch. */
#ifndef UI_FRAME_WATCH_H
#define UI_FRAME_WATCH_H

#include "ui/state/view.h"

void watch_new(struct ui *ui);
void watch_free(struct ui *ui);
/* A job of another user is watched. */
bool watch_needs_all(const struct ui *ui);
/* Looks at what is watched after a change. */
void watch_look(struct ui *ui);

#endif
