/* node_story.h - how a node is and how it came to that, in lines: its state and what is to be done, its
 * events, its windows. */
#ifndef UI_INFO_NODE_STORY_H
#define UI_INFO_NODE_STORY_H

#include "ui/state/view.h"

/* "draining for 2 h, by root: driver update", then a line each for its jobs, windows, broken GPUs, note. */
void nodestory_state(struct lines *l, const struct ui *ui, const struct node *n);
/* What has happened to it, the latest first, at most max; nothing where nothing has. */
void nodestory_events(struct lines *l, const struct ui *ui, const struct node *n, size_t max);
/* Its windows, now and later; nothing where there are none. */
void nodestory_windows(struct lines *l, const struct ui *ui, const struct node *n);

#endif
