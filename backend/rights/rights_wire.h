/* rights_wire.h - requests and answers as packets between the agent and stoker-launcher, which has made the
 * socket (SOCK_SEQPACKET) and the agent: no other process can reach it. */
#ifndef STOKER_BACKEND_RIGHTS_RIGHTS_WIRE_H
#define STOKER_BACKEND_RIGHTS_RIGHTS_WIRE_H

#include "backend/rights/rights.h"

/* Descriptors of an agent that the launcher has started, and the argument that says so. */
#define LAUNCHED_OPTION      "--launched"
#define LAUNCHED_RIGHTS_FD   3
#define LAUNCHED_LISTENER_FD 4
#define LAUNCHED_READY_FD    5
#define LAUNCHED_STARTER_FD  6
#define LAUNCHED_LOCK_FD     7
#define LAUNCHED_N           5

/* All return 0 or a negative errno; -EPIPE at the end of the stream, -EBADMSG for what cannot be one. */
int rights_send_request(int fd, const struct rights_request *q) __attribute__((warn_unused_result));
int rights_receive_request(int fd, struct rights_request *ret) __attribute__((warn_unused_result));
/* Closes a->fd. */
int rights_send_answer(int fd, struct rights_answer *a) __attribute__((warn_unused_result));
int rights_receive_answer(int fd, struct rights_answer *ret) __attribute__((warn_unused_result));

#endif
