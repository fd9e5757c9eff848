/* task_launch.h - a launch of the controller becomes a task with a shim, once, or is refused. */
#ifndef STOKER_BACKEND_AGENT_TASK_LAUNCH_H
#define STOKER_BACKEND_AGENT_TASK_LAUNCH_H

#include "src/proto/frame.h"
#include "src/proto/launch.h"

struct agent;

/* f: the launch as it came, which is what the shim gets. */
void task_launch(struct agent *a, const struct launch *l, const struct frame *f);

#endif
