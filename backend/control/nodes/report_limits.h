/* report_limits.h - what a node says of itself is not believed beyond reason. */
#ifndef STOKER_BACKEND_CONTROL_NODES_REPORT_LIMITS_H
#define STOKER_BACKEND_CONTROL_NODES_REPORT_LIMITS_H

#include "backend/control/core.h"

/* Cuts figures that no node has and texts that are too long; appends to odd what it cut of the figures. */
void report_limit_figures(struct msg_agent *m, struct str *odd);
/* The start of a task by the clock that its job's start was noted by. */
struct wall report_limit_start(struct control *c, const struct launch_key *k, struct wall t);
/* Times that cannot be become those that can, exit codes those that the kernel gives. */
void report_limit_end(struct control *c, const struct job *j, const struct task *t, struct launch_end *m);

#endif
