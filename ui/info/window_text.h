/* window_text.h - what the screens say of windows: times in which nodes are kept for something else. */
#ifndef UI_INFO_WINDOW_TEXT_H
#define UI_INFO_WINDOW_TEXT_H

#include "ui/frame/view.h"

/* "maintenance in 2 h: driver update", "kept for alice until 16:00:00". */
void window_words(struct rich *r, const struct ui *ui, const struct window *w);
/* "ann, bob, physics", for the caller to free. */
char *window_whose(const struct window *w);

#endif
