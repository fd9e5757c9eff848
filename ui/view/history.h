/* history.h - what has ended: how, what it used of what it had asked for. */
#ifndef UI_VIEW_HISTORY_H
#define UI_VIEW_HISTORY_H

#include "ui/view/view.h"

extern const struct view_ops history_view; /* arg: NULL */

#endif
