/* task_launch.h - a launch of the controller becomes a task with a shim, once, or is refused. */
#ifndef STOKER_BACKEND_AGENT_TASK_LAUNCH_H
#define STOKER_BACKEND_AGENT_TASK_LAUNCH_H

#include "backend/agent/forkserver.h"
#include "backend/agent/own_limits.h"
#include "src/proto/frame.h"
#include "src/proto/launch.h"

struct agent;

struct task_launcher {
    struct forkserver forkserver;
    struct own_limits limits;
};

/* f: the launch as it came, which is what the shim gets. */
void task_launch(struct task_launcher *tl, struct agent *a, const struct launch *l, const struct frame *f);

#endif
