/* array_info.h - what there is to say about an array as a whole. */
#ifndef UI_JOBS_ARRAY_INFO_H
#define UI_JOBS_ARRAY_INFO_H

#include "ui/jobs/jobs_rows.h"

/* How many of it are in which state, and of those that failed which ones, and how. members: its jobs. */
void arrayinfo_lines(struct lines *l, const struct array_row *a, const struct job *const *members);

/* One bar of all elements, of at most `most` cells, and their counts; where room has no place for both the
 * counts alone. in_queue: elements of unknown state have ended before. */
void arrayinfo_bar(const struct array_row *a, bool in_queue, int room, int most, struct rich *r);

/* The same in a cell of a table: of the queue, or of those that have ended. */
void arrayinfo_progress(const struct array_row *a, bool in_queue, struct table_field *f);

#endif
