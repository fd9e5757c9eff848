/* launcher.h - stoker-launcher: the part of a service's agent that is root.
 *
 * It takes the agent's directory, listens for the agent, starts it under an account without any capability
 * (stoker-agent --launched), and does what that asks for (backend/rights), one packet at a time. It talks
 * to no one else, has no thread and opens nothing that a path of the agent's names. It ends when the agent
 * does, and the agent when it does; supervisors and tasks go on, and the next agent adopts them.
 */
#ifndef STOKER_BACKEND_LAUNCHER_LAUNCHER_H
#define STOKER_BACKEND_LAUNCHER_LAUNCHER_H

#include "src/base/err.h"

struct launcher_config {
    const char *account;                                             /* of the agent */
    const char *node, *dir, *socket, *policy, *controller, *clients; /* as for the agent; NULL: not given */
    int ready_fd, starter_fd;                                        /* the same; -1: none */
};

/* Returns what the agent has ended with as an exit status, or a negative errno with a text. */
int launcher_run(const struct launcher_config *cfg, struct errtext *err);

#endif
