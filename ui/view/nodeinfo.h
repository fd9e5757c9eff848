/* nodeinfo.h - what there is to say about a node: the detail pane and the box. */
#ifndef UI_VIEW_NODEINFO_H
#define UI_VIEW_NODEINFO_H

#include "ui/view/view.h"

void nodeinfo_lines(struct lines *l, const struct ui *ui, const struct node *n);
/* "draining: fan (root, 2 d)", "lost since 12:03", "3 jobs": one line. */
void nodeinfo_note(struct rich *r, const struct ui *ui, const struct node *n);
/* One sign a device: busy, held idle, free, foreign, out. */
void nodeinfo_gpus(struct rich *r, const struct ui *ui, const struct node *n);

#endif
