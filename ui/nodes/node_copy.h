/* node_copy.h - the menu of what can be copied of a node. */
#ifndef UI_NODES_NODE_COPY_H
#define UI_NODES_NODE_COPY_H

#include "ui/state/view.h"

/* Opens the menu. t: the list with its row. */
void node_copy_open(struct ui *ui, const struct node *n, struct table *t);

#endif
