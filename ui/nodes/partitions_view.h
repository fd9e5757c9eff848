/* partitions_view.h - the partitions: limits, what is free, what waits and for what, who may use them. */
#ifndef UI_NODES_PARTITIONS_VIEW_H
#define UI_NODES_PARTITIONS_VIEW_H

#include "ui/state/view.h"

extern const struct view_ops parts_view; /* arg: NULL */

#endif
