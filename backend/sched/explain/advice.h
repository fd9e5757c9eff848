/* advice.h - the one smallest change with which a waiting job could start now. */
#ifndef STOKER_BACKEND_SCHED_ADVICE_H
#define STOKER_BACKEND_SCHED_ADVICE_H

#include "backend/sched/explain/explain.h"

/* Of a job that its partition's limit of time or of nodes keeps out: that limit. Else: tries a shorter time
 * limit, another partition, fewer GPUs, CPUs, less memory, fewer nodes, in this order, and where an array's
 * throttle is reached one more element at once, each checked by the planner (planner_try); fills in advice,
 * advice_key and advice_value, or nothing. Cost: some tens of tries. */
void advice_find(struct planner *p, const struct sched_view *v, const struct job *j, struct wall now,
                 struct msg_why *ret);

#endif
