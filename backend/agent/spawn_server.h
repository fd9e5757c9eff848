/* spawn_server.h - the process that starts programs for an agent that may not start any.
 *
 * Descendants inherit a filter of system calls, and the flag under which set-user-ID programs gain nothing:
 * an agent with a filter cannot be an ancestor of tasks. So before the agent takes its filter it starts
 * this process. It is the same program as the agent, waits on a socket (SOCK_SEQPACKET), and starts the
 * fork server of the supervisors, readers of files and the GPU samplers when the agent asks for them, and
 * nothing else. The processes that it starts are children of the agent. This process ends with the agent,
 * and the agent cannot go on without it: it cannot start another one. So if this process ends, or does not
 * answer within 5 s, which happens once at most, it is killed, and the agent ends too; the next agent
 * adopts the tasks.
 */
#ifndef STOKER_BACKEND_AGENT_SPAWN_SERVER_H
#define STOKER_BACKEND_AGENT_SPAWN_SERVER_H

#include <stdbool.h>
#include <stdint.h>

#include "src/base/err.h"
#include "src/os/spawn.h"

/* The program's option for this role; the path of the shims' program ("": no shims) follows it. */
#define SPAWN_SERVER_OPTION "--spawn-server"

struct spawn_server {
    pid_t pid; /* 0: not running */
    int fd;
    bool lost; /* it has ended, or hung and was killed: the agent is to end */
};

/* shim: the program of the supervisors, which later requests name as `path`; NULL: no request will. */
int spawn_server_start(struct spawn_server *s, const char *shim, struct errtext *err)
    __attribute__((warn_unused_result));
void spawn_server_stop(struct spawn_server *s);
/* The child pid has ended. Returns true if it was this process. */
bool spawn_server_child_ended(struct spawn_server *s, pid_t pid);
/* The spawner that starts programs through the process; -EPERM: a program that it does not start. If no
 * spawn server runs, this process starts them. */
struct spawner spawn_server_spawner(struct spawn_server *s);
/* Runs the process; returns its exit status. */
int spawn_server_main(const char *shim);

#endif
