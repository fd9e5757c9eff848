/* forkserver.h - the program of the shims, started once, of which each shim is a copy.
 *
 * Starting a program costs more than all that a shim does for a short task: most of it is mapping the file
 * and what the C library finds out about the processor. So the agent starts one `stoker-shim` that waits on
 * a socket (SOCK_SEQPACKET). For each task it gets the directory and the socket of the shim-to-be, forks,
 * and answers with the process id; the copy is a child of the agent, as if the agent had started it, and
 * its command line is that of a shim started by hand. It ends when the agent does; the shims go on. */
#ifndef STOKER_BACKEND_RIGHTS_FORKSERVER_H
#define STOKER_BACKEND_RIGHTS_FORKSERVER_H

#include <stdbool.h>
#include <sys/types.h>

#include "src/os/spawn.h"

struct forkserver {
    const char *program; /* that of the shims ... */
    const char *mode;    /* ... and an argument in front of the others, or NULL */
    struct spawner spawner;
    pid_t pid; /* 0: not running */
    int fd;
};

/* A shim for the task directory `dir` (absolute) that talks on `sock`, begun in the v2 control group
 * `group` where the kernel can do that (NULL: in that of the agent), and in the mount namespace `ns` (-1:
 * in that of the agent). Starts the server where none runs. Returns its process id or a negative errno. */
pid_t forkserver_shim(struct forkserver *f, const char *dir, const char *group, int ns, int sock);

/* The child `pid` has been reaped with the status of waitpid. True where it was the server, which is
 * started again when it is needed. Where a copy was ended by a signal, as one that a user's process has
 * made crash, the server goes too: what that process has learned of addresses and canaries is not true of
 * the next one. */
bool forkserver_child_ended(struct forkserver *f, pid_t pid, int status);

/* Lets the server go; its shims stay. */
void forkserver_stop(struct forkserver *f);

#endif
