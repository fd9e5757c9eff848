/* window_text.h - what the screens say of windows: times in which nodes are kept for something else. */
#ifndef UI_INFO_WINDOW_TEXT_H
#define UI_INFO_WINDOW_TEXT_H

#include "ui/state/view.h"

/* "maintenance from 18:00: driver update", "reserved for alice until 16:00". */
void window_words(struct rich *r, const struct ui *ui, const struct window *w);
/* The same of the nodes ("gpu[01-04]", "all nodes", "12 nodes" where that would be long), without the
 * reason: "maintenance on gpu02 from 18:00". */
void window_words_on(struct rich *r, const struct ui *ui, const struct window *w, const char *nodes);
/* "ann, bob, physics", for the caller to free. */
char *window_whose(const struct window *w);

#endif
