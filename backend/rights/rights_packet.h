/* rights_packet.h - packets of the wire between agent and launcher: what both sides' files share. */
#ifndef STOKER_BACKEND_RIGHTS_PACKET_H
#define STOKER_BACKEND_RIGHTS_PACKET_H

#include <stddef.h>
#include <sys/types.h>

#include "backend/rights/rights_wire.h"

#define RIGHTS_REQUEST_HEAD offsetof(struct rights_request, path)
#define RIGHTS_ANSWER_HEAD  offsetof(struct rights_answer, text)

/* with: a descriptor that goes along, or -1. Returns 0 or -errno. */
int rights_send_packet(int fd, const void *p, size_t n, int with) __attribute__((warn_unused_result));
/* Returns the size, or -errno; *ret_with: the descriptor that came along, or -1. */
ssize_t rights_receive_packet(int fd, void *p, size_t size, int *ret_with)
    __attribute__((warn_unused_result));

#endif
