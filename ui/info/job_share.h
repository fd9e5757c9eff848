/* job_share.h - what a job has on one node: of its allocation, else of those of its tasks that run there.
 */
#ifndef UI_INFO_JOB_SHARE_H
#define UI_INFO_JOB_SHARE_H

#include "src/model/model.h"

struct job_share {
    struct cpuset cpus, gpus;
    uint64_t mem_mib;
    struct wall since; /* since when; of tasks the first one's */
};

/* Returns false where it has nothing there now. */
bool jobshare_of(const struct job *j, const char *node, struct job_share *ret);

#endif
