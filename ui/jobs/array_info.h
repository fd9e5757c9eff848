/* array_info.h - what there is to say about an array as a whole. */
#ifndef UI_JOBS_ARRAY_INFO_H
#define UI_JOBS_ARRAY_INFO_H

#include "ui/jobs/jobs_rows.h"

/* How many of it are in which state, and of those that failed which ones, and how. members: its jobs. */
void arrayinfo_lines(struct lines *l, const struct array_row *a, const struct job *const *members);

#endif
