/* node_page.h - the page of one node: its state and why, what is used of it and was in the last minutes,
 * its GPUs, its jobs, and what has happened to it. */
#ifndef UI_NODES_NODE_PAGE_H
#define UI_NODES_NODE_PAGE_H

#include "ui/state/view.h"

extern const struct view_ops nodepage_view; /* arg: const char *, the node's name */

#endif
