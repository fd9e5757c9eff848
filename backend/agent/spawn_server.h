/* spawn_server.h - the process that starts programs for an agent that may not start any.
 *
 * A filter of system calls is inherited, and with it that programs with set-user-ID gain nothing: an agent
 * with a filter cannot be an ancestor of tasks. So before it takes its filter it starts this process, which
 * is the same program, waits on a socket (SOCK_SEQPACKET) and starts what it is asked to start: the fork
 * server of the supervisors, readers of files, what looks at the GPUs, and nothing else. What it starts is
 * a child of the agent. It ends with the agent, which cannot go on without it.
 */
#ifndef STOKER_BACKEND_AGENT_SPAWN_SERVER_H
#define STOKER_BACKEND_AGENT_SPAWN_SERVER_H

#include "src/base/err.h"
#include "src/base/spawn.h"

/* The option of the program, with the path of the shims' program ("": no shims) behind it. */
#define SPAWN_SERVER_OPTION "--spawn-server"

struct spawn_server {
    pid_t pid; /* 0: none runs */
    int fd;
};

/* shim: the program of the supervisors, as `path` of later requests; NULL: there will be none. */
int spawn_server_start(struct spawn_server *s, const char *shim, struct errtext *err)
    __attribute__((warn_unused_result));
void spawn_server_stop(struct spawn_server *s);
/* What it starts; -EPERM: a program of another kind. This process where none runs. */
struct spawner spawn_server_spawner(struct spawn_server *s);
/* The process itself: returns its exit status. */
int spawn_server_main(const char *shim);

#endif
