/* job_parts.c - the tables of what jobs and launches share: apart from those of jobs, which the programs of
 * a node do not know. */
#include "src/model/job.h"

REC_DEFINE(alloc, ALLOC_FIELDS)
REC_DEFINE(rank_end, RANK_END_FIELDS)
REC_DEFINE(gpu_use, GPU_USE_FIELDS)
