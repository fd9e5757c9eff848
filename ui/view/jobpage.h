/* jobpage.h - the page of one job: its steps and tasks live, why it waits, its story, its request. */
#ifndef UI_VIEW_JOBPAGE_H
#define UI_VIEW_JOBPAGE_H

#include "ui/view/view.h"

extern const struct view_ops jobpage_view; /* arg: const uint32_t *, the job's id */

#endif
