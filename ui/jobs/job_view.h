/* job_view.h - the page of one job: its steps and tasks live, why it waits, its story, its request. */
#ifndef UI_JOBS_JOB_VIEW_H
#define UI_JOBS_JOB_VIEW_H

#include "ui/state/view.h"

extern const struct view_ops jobpage_view; /* arg: const uint32_t *, the job's id */

#endif
