/* job_efficiency.h - what a job used of what it had asked for, and how it ended, in lines. */
#ifndef UI_INFO_JOB_EFFICIENCY_H
#define UI_INFO_JOB_EFFICIENCY_H

#include "src/text/jobuse.h"
#include "ui/widget/rich.h"

/* Asked, used, percent, and what would do next time. */
void job_use_lines(struct lines *l, const struct job *j, const struct model *m, struct wall now);
/* The memory in MiB that would have been enough for a peak, with some room: whole GiB. */
uint64_t job_use_mem_enough(uint64_t peak_kib);
/* How it ended in one line: "out of memory: 61.9 GB of 62G on n03, task 5". */
void job_cause(struct rich *r, const struct job *j);

#endif
