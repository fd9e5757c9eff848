/* timeline.h - the plan: what runs until when, what is to start where, windows. */
#ifndef UI_VIEW_TIMELINE_H
#define UI_VIEW_TIMELINE_H

#include "ui/view/view.h"

extern const struct view_ops timeline_view; /* arg: NULL */

#endif
