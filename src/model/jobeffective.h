/* jobeffective.h - what is in force for a job where its request does not say: its time limit, what becomes
 * of it when its node is lost. The order: the request, its partition, the cluster. */
#ifndef STOKER_MODEL_JOBEFFECTIVE_H
#define STOKER_MODEL_JOBEFFECTIVE_H

#include "src/model/model.h"

/* Never LOST_NOT_SAID. */
enum lost_node job_lost_node(const struct model *m, const struct job *j);
/* How many restarts a job may have had when it is queued again at its time limit; 0: it is not. Of the job,
 * else of the partition that it runs in, if the job asks for a signal before its end. */
uint32_t job_limit_restarts(const struct model *m, const struct job *j);

/* What an attempt of the job that is given out now gets as its lease: 0 where the job has opted for
 * none. */
uint32_t job_lease_s(const struct model *m, const struct job *j);

/* The limit in force; before the start what will be: the request's, else the partition's default or
 * maximum. */
uint32_t job_limit_s(const struct job *j, const struct model *m);
/* When it ended, or will at the latest; unset where it has no limit, and while waiting where no start is
 * expected. */
struct wall job_end_time(const struct job *j, const struct model *m);

#endif
