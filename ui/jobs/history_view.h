/* history_view.h - what has ended: how, what it used of what it had asked for. */
#ifndef UI_JOBS_HISTORY_VIEW_H
#define UI_JOBS_HISTORY_VIEW_H

#include "ui/state/view.h"

extern const struct view_ops history_view; /* arg: NULL */

#endif
