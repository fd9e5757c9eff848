/* timeline_view.h - the plan as a timeline: running jobs, planned starts, windows. */
#ifndef UI_PLAN_TIMELINE_VIEW_H
#define UI_PLAN_TIMELINE_VIEW_H

#include "ui/state/view.h"

extern const struct view_ops timeline_view; /* arg: NULL */

#endif
