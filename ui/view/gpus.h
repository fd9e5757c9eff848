/* gpus.h - every GPU of the cluster: whose it is, whether it works, what is free. */
#ifndef UI_VIEW_GPUS_H
#define UI_VIEW_GPUS_H

#include "ui/view/view.h"

extern const struct view_ops gpus_view; /* arg: NULL */

#endif
