/* task_input.h - standard input for a task, on its way from the controller to the shim, and the answers. */
#ifndef STOKER_BACKEND_AGENT_TASK_INPUT_H
#define STOKER_BACKEND_AGENT_TASK_INPUT_H

#include "backend/agent/task_table.h"

void task_input_send(struct agent *a, uint64_t tag, const struct msg_input *m, const struct frame *f);
/* The shim has answered. */
void task_input_answered(struct atask *t, const struct frame *f);
/* The shim does not answer any more: it has ended, or may not have got the input. The sender is told. */
void task_input_give_up(struct atask *t);

#endif
