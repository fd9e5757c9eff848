/* ssh_listen.h - stoker-link listen: a stoker-link for a controller that is another user.
 *
 *     stokerd (stoker) --/run/stoker-link/link.sock--> listen (stoker-link) --fork, exec--> serve
 *                                                                             (connection: descriptor 3)
 *
 * A service manager keeps it under an account of its own, the only one that can read the key. Each
 * connection gets a process like the one that the controller would have started itself; a new one ends the
 * one before it, which may be the reason for the new one.
 */
#ifndef STOKER_BACKEND_SSHLINK_SSH_LISTEN_H
#define STOKER_BACKEND_SSHLINK_SSH_LISTEN_H

#include "src/base/err.h"

/* program: stoker-link itself. peer: the user who may connect, besides root and our own. Returns at
 * SIGTERM, or a negative errno with a text. */
int listen_run(const char *program, const char *socket, const char *keys, const char *peer,
               struct errtext *err) __attribute__((warn_unused_result));

#endif
