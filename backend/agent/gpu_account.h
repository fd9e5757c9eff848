/* gpu_account.h - what the GPUs of each task have done since it began, added up from the samples of the
 * node's GPUs.
 *
 * A sample stands for the time since the one before it. What happened before this agent began, or while
 * the driver did not answer, is not known and does not count. Tasks of a job that share its GPUs are
 * accounted each for itself.
 */
#ifndef STOKER_BACKEND_AGENT_GPU_ACCOUNT_H
#define STOKER_BACKEND_AGENT_GPU_ACCOUNT_H

#include "backend/agent/task_table.h"

/* The task begins now: its time counts from here on. Does nothing for a task without GPUs. */
void gpu_account_open(struct atask *t);
/* The GPUs have been measured: adds the sample to all tasks that live. */
void gpu_account_sample(struct agent *a);
/* The task is over: what was measured; zeroes if nothing was. */
void gpu_account_close(struct atask *t, struct gpu_use *ret);

#endif
