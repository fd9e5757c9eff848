/* nodes_view.h - the nodes: what is used, held idle, free, out, and why. */
#ifndef UI_NODES_NODES_VIEW_H
#define UI_NODES_NODES_VIEW_H

#include "ui/state/view.h"

extern const struct view_ops nodes_view; /* arg: NULL */

#endif
