/* dial.h - from a host name to a connected socket, without ever stopping the loop.
 *
 * Names are looked up in a thread of their own, each look-up in its own: a name server that hangs holds up
 * its own node alone. Addresses are tried one after the other, each with its own deadline. The socket is
 * ours, not libssh's: close-on-exec, non-blocking, with keep-alive.
 */
#ifndef STOKER_BACKEND_SSHLINK_DIAL_H
#define STOKER_BACKEND_SSHLINK_DIAL_H

#include "backend/loop/loop.h"
#include "src/base/err.h"
#include "src/proto/ssh_msg.h"

struct dial;

/* fd >= 0: connected, the callee's. Else fault and text say why. The dial is freed after the call. */
typedef void (*dial_fn)(void *ctx, int fd, enum ssh_fault fault, const char *text);

struct dial *dial_new(struct loop *l, const char *host, uint32_t port, dial_fn fn, void *ctx)
    __attribute__((warn_unused_result));
/* Gives up; fn is not called. */
void dial_free(struct dial *d);
/* The address that answered or was tried last, "" before; valid until the next call. */
const char *dial_address(const struct dial *d);

#endif
