/* task_end.h - a task ends once: its end is taken, told to the controller until acknowledged, and kept. */
#ifndef STOKER_BACKEND_AGENT_TASK_END_H
#define STOKER_BACKEND_AGENT_TASK_END_H

#include "backend/agent/task_table.h"

/* Takes the end (*end is moved) and tells the controller. No-op for a task that has ended. */
void task_ended(struct atask *t, struct launch_end *end);
/* Reads the end in the directory of a task, also of one whose supervisor is of a time when the agent was
 * root: task_end_share lets the agent into such a directory. */
int task_end_read(const struct agent *a, const struct launch_key *key, int dir_fd, struct launch_end *ret)
    __attribute__((warn_unused_result));
bool task_end_share(const struct agent *a, const struct launch_key *key);
/* Puts an end that no supervisor can record into the directory of the task. */
void task_end_record(const struct atask *t, const struct launch_end *end);
/* An end that the agent itself gives. text is copied. */
void task_end_without_shim(struct atask *t, uint32_t kind, const char *text);
/* The controller has stored the end. */
void task_end_acknowledged(struct agent *a, const struct launch_key *key);
/* Tells the controller each end that it has not acknowledged. */
void task_ends_send(struct agent *a);

#endif
