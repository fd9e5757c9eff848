/* client_find.h - the controller of this machine, or the Slurm in its place. */
#ifndef STOKER_CLIENT_CLIENT_FIND_H
#define STOKER_CLIENT_CLIENT_FIND_H

#include <stdbool.h>

#include "src/base/err.h"
#include "src/conf/paths.h"

/* A blocking, connected, close-on-exec socket, or -ENOENT, -ECONNREFUSED, -EACCES, -ETIMEDOUT ... with a
 * text. Paths of any length work. */
int client_dial(const char *path, struct errtext *err) __attribute__((warn_unused_result));

/* A connected socket: of the controller at p->socket, else with slurm and without any sign of a cluster of
 * Stoker's that of a server over the Slurm (client_slurm.h), which is p->socket then. Starts no controller.
 * Errors: -ENOENT or -ECONNREFUSED (there is none), others of the socket, with a text. */
int client_find(struct paths *p, bool slurm, struct errtext *err) __attribute__((warn_unused_result));

#endif
