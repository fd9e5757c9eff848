/* jobs.h - the jobs: all of the queue in one table, arrays as one row each. */
#ifndef UI_VIEW_JOBS_H
#define UI_VIEW_JOBS_H

#include "ui/view/view.h"

extern const struct view_ops jobs_view; /* arg: NULL */

#endif
