/* parts.h - the partitions: limits, what is free, what waits and for what, who may use them. */
#ifndef UI_VIEW_PARTS_H
#define UI_VIEW_PARTS_H

#include "ui/view/view.h"

extern const struct view_ops parts_view; /* arg: NULL */

#endif
