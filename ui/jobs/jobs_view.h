/* jobs_view.h - the jobs: all of the queue in one table, arrays as one row each. */
#ifndef UI_JOBS_JOBS_VIEW_H
#define UI_JOBS_JOBS_VIEW_H

#include "ui/state/view.h"

extern const struct view_ops jobs_view; /* arg: NULL */

#endif
