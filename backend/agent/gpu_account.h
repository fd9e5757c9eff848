/* gpu_account.h - what the GPUs of each task have done since it began, added up from the samples of the
 * node's GPUs.
 *
 * A sample stands for the time since the previous sample. The time before this agent started, and the time
 * in which the driver did not answer, do not count. If tasks of a job share its GPUs, each task is
 * accounted separately.
 */
#ifndef STOKER_BACKEND_AGENT_GPU_ACCOUNT_H
#define STOKER_BACKEND_AGENT_GPU_ACCOUNT_H

#include "backend/agent/task_table.h"

/* The task starts now: its time counts from here on. Does nothing for a task without GPUs. */
void gpu_account_open(struct atask *t);
/* The GPUs have been measured: adds the sample to all running tasks. */
void gpu_account_sample(struct agent *a);
/* The task has ended: returns what was measured; zeroes if nothing was. */
void gpu_account_close(struct atask *t, struct gpu_use *ret);

#endif
