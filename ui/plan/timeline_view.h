/* timeline_view.h - the plan: what runs until when, what is to start where, windows. */
#ifndef UI_PLAN_TIMELINE_VIEW_H
#define UI_PLAN_TIMELINE_VIEW_H

#include "ui/frame/view.h"

extern const struct view_ops timeline_view; /* arg: NULL */

#endif
