/* agent.h - the daemon on a node: launches tasks, watches them, reports to the controller. */
#ifndef STOKER_BACKEND_AGENT_AGENT_H
#define STOKER_BACKEND_AGENT_AGENT_H

#include "backend/agent/agent_config.h"
#include "src/base/err.h"

/* Runs until SIGTERM or MSG_AGENT_STOP. Returns 0; -EEXIST where another agent has the directory; another
 * -errno with a text. */
int agent_run(const struct agent_config *cfg, struct errtext *err) __attribute__((warn_unused_result));

#endif
