/* depends_view.h - the dependencies of a job as a tree to walk in: what it waits for, and what waits for
 * it, over several levels. */
#ifndef UI_JOBS_DEPENDS_VIEW_H
#define UI_JOBS_DEPENDS_VIEW_H

#include "ui/state/view.h"

extern const struct view_ops depends_view; /* arg: const uint32_t *, the job's id */

/* Opens it; a toast where the job has no dependencies, either way. */
void depends_open(struct ui *ui, const struct job *j);

#endif
