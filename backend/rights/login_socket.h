/* login_socket.h - where commands on a login node look for a controller: a symlink there to this agent's
 * own socket.
 *
 * The place is the one where a controller of this machine would listen, so that users need not be told. It
 * stays when the agent goes: a command must hear then that the controller is away, and not start one. What
 * another program has put there is left alone.
 */
#ifndef STOKER_BACKEND_RIGHTS_LOGIN_SOCKET_H
#define STOKER_BACKEND_RIGHTS_LOGIN_SOCKET_H

#include <stdbool.h>

/* Where `named` names the place, and on a login node: a symlink to the socket `to`; elsewhere it is
 * removed. True where the place is taken by another program. */
bool login_socket_update(const char *named, bool root, bool login, const char *to);

#endif
