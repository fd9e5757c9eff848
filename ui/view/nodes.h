/* nodes.h - the nodes: what is used, held idle, free, out, and why. */
#ifndef UI_VIEW_NODES_H
#define UI_VIEW_NODES_H

#include "ui/view/view.h"

extern const struct view_ops nodes_view; /* arg: NULL */

#endif
