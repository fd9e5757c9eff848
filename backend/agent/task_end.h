/* task_end.h - a task ends once: its end is taken, told to the controller until acknowledged, and kept. */
#ifndef STOKER_BACKEND_AGENT_TASK_END_H
#define STOKER_BACKEND_AGENT_TASK_END_H

#include "backend/agent/task_table.h"

/* Takes the end (*end is moved) and tells the controller. No-op for a task that has ended. */
void task_ended(struct atask *t, struct launch_end *end);
/* An end that the agent itself gives. text is copied. */
void task_end_without_shim(struct atask *t, uint32_t kind, const char *text);
/* The controller has stored the end. */
void task_end_acknowledged(struct agent *a, const struct launch_key *key);
/* Tells the controller each end that it has not acknowledged. */
void task_ends_send(struct agent *a);

#endif
