/* gpus_view.h - every GPU of the cluster: whose it is, whether it works, what is free. */
#ifndef UI_NODES_GPUS_VIEW_H
#define UI_NODES_GPUS_VIEW_H

#include "ui/state/view.h"

extern const struct view_ops gpus_view; /* arg: NULL */

#endif
