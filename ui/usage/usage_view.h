/* usage_view.h - resources in use and used, by account and user. */
#ifndef UI_USAGE_USAGE_VIEW_H
#define UI_USAGE_USAGE_VIEW_H

#include "ui/state/view.h"

extern const struct view_ops usage_view; /* arg: NULL */

#endif
