/* usage.h - who holds and has used what, by account and user. */
#ifndef UI_VIEW_USAGE_H
#define UI_VIEW_USAGE_H

#include "ui/view/view.h"

extern const struct view_ops usage_view; /* arg: NULL */

#endif
