/* job_depends.h - what a job waits for, and what waits for it. */
#ifndef UI_INFO_JOB_DEPENDS_H
#define UI_INFO_JOB_DEPENDS_H

#include "ui/frame/view.h"

/* Both ways, as lines in a box. */
void depends_open(struct ui *ui, const struct job *j);

#endif
