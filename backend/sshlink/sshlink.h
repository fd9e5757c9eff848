/* sshlink.h - the process around libssh: many nodes, one loop, no state that matters.
 *
 * It can be killed at any time: the controller starts another, agents and tasks notice a closed connection.
 */
#ifndef STOKER_BACKEND_SSHLINK_SSHLINK_H
#define STOKER_BACKEND_SSHLINK_SSHLINK_H

#include "src/base/err.h"

/* Serves the controller on ctl_fd (a SOCK_SEQPACKET socket) until that is closed. dir: where the programs
 * for the nodes lie. keys: directory with id_ed25519 and known_hosts for orders that name none; NULL: every
 * order names its own. */
int sshlink_run(int ctl_fd, const char *dir, const char *keys, struct errtext *err)
    __attribute__((warn_unused_result));

#endif
