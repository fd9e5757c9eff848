/* advice.h - the one smallest change with which a waiting job could start now. */
#ifndef STOKER_BACKEND_SCHED_ADVICE_H
#define STOKER_BACKEND_SCHED_ADVICE_H

#include "backend/sched/explain/explain.h"

/* If the partition's limit of time or of nodes does not admit the job, advises that limit. Otherwise tries
 * a shorter time limit, another partition, fewer GPUs, fewer CPUs, less memory and fewer nodes, in this
 * order, and, if an array's throttle is reached, one more element at once. The planner checks each try
 * (planner_try). Fills in advice, advice_key and advice_value, or nothing. Cost: some tens of tries. */
void advice_find(struct planner *p, const struct sched_view *v, const struct job *j, struct wall now,
                 struct msg_why *ret);

#endif
