/* jobuse.h - what a job used of what it had asked for. */
#ifndef UI_VIEW_JOBUSE_H
#define UI_VIEW_JOBUSE_H

#include "src/model/model.h"
#include "ui/widget/rich.h"

struct job_use {             /* percentages: -1 where it is not known */
    uint32_t ran_s, limit_s; /* limit_s: DURATION_UNLIMITED, DURATION_NOT_SET */
    int time_percent, cpu_percent, mem_percent;
    uint64_t peak_kib;   /* of the task that came nearest to its limit; 0: not measured */
    uint64_t mem_mib;    /* its limit; 0: not said */
    const char *sampled; /* how the peak was measured */
    const char *node;    /* where that task ran */
};

void job_use(struct job_use *u, const struct job *j, const struct model *m, struct wall now);
/* Asked, used, percent, and what would do next time. */
void job_use_lines(struct lines *l, const struct job *j, const struct model *m, struct wall now);
/* How it ended in one line: "out of memory: 61.9 GB of 62G on n03, task 5". */
void job_cause(struct rich *r, const struct job *j);

#endif
