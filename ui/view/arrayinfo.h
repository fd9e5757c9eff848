/* arrayinfo.h - what there is to say about an array as a whole. */
#ifndef UI_VIEW_ARRAYINFO_H
#define UI_VIEW_ARRAYINFO_H

#include "ui/view/jobrows.h"

/* How many of it are in which state, and of those that failed which ones, and how. members: its jobs. */
void arrayinfo_lines(struct lines *l, const struct array_row *a, const struct job *const *members);

#endif
