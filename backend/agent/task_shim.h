/* task_shim.h - the agent's side of the connection to each task's shim, and the end of a shim. */
#ifndef STOKER_BACKEND_AGENT_TASK_SHIM_H
#define STOKER_BACKEND_AGENT_TASK_SHIM_H

#include "backend/agent/task_table.h"

/* Speaks with the shim over fd, which is taken. */
void task_shim_open(struct atask *t, int fd);
/* Tries to reach the shim of t, again and again until it is reached or gone. ctx: t. */
void task_shim_connect(void *ctx);
/* The kernel knows no such process, or one that was started at another time. */
bool task_shim_is_gone(const struct atask *t);
/* The shim of t has ended: its end is on disk, or it was lost. */
void task_shim_gone(struct atask *t);
/* A child of this process has ended. */
void task_shim_child_ended(struct agent *a, pid_t pid);
void task_shim_kill(struct agent *a, const struct launch_kill *k);
/* A fence of its step is over. */
void task_shim_pmi(struct agent *a, const struct msg_pmi *m, const struct frame *f);

#endif
