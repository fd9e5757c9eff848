/* depends.h - what a job waits for, and what waits for it. */
#ifndef UI_VIEW_DEPENDS_H
#define UI_VIEW_DEPENDS_H

#include "ui/view/view.h"

/* Both ways, as lines in a box. */
void depends_open(struct ui *ui, const struct job *j);

#endif
