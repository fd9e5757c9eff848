/* frame.h - how messages lie on a stream: between clients, controller and agents alike.
 *
 *      0        4      6      8               16
 *     +--------+------+------+----------------+----------------- - -
 *     | length | type | flags| tag            | body: one MessagePack array
 *     +--------+------+------+----------------+----------------- - -
 *
 * Little endian. length counts the body alone and is at most FRAME_MAX. A reply carries the tag of its
 * request; a push carries the tag of the request that subscribed to it. No sockets here: bytes in, frames
 * out.
 */
#ifndef STOKER_PROTO_FRAME_H
#define STOKER_PROTO_FRAME_H

#include <stddef.h>
#include <stdint.h>

#include "src/base/str.h"

#define FRAME_HEADER_SIZE 16
#define FRAME_MAX         (8u << 20)

struct frame {
    uint16_t type; /* enum msg_kind */
    uint16_t flags;
    uint64_t tag;
    const uint8_t *body; /* points into the reader's buffer */
    size_t size;
};

/* Collects bytes of a stream. */
struct frame_reader {
    uint8_t *buf;
    size_t n, cap, at; /* bytes held; start of what has not been handed out */
    size_t max;        /* of one body; 0: FRAME_MAX */
};

void frame_reader_fini(struct frame_reader *r);
/* Room for at least want more bytes; write there, then call _added. */
uint8_t *frame_reader_space(struct frame_reader *r, size_t want);
void frame_reader_added(struct frame_reader *r, size_t n);
/* Bytes that the unfinished frame takes in all, once its header has come; 0: none is known. */
size_t frame_reader_expects(const struct frame_reader *r);
/* Has room for that many bytes from the start of the unfinished frame on, and no more than that. */
void frame_reader_reserve(struct frame_reader *r, size_t n);
/* 1: *ret is the next frame, valid until the next call on r. 0: incomplete. -EMSGSIZE: the peer announces
 * more than allowed. */
int frame_reader_next(struct frame_reader *r, struct frame *ret) __attribute__((warn_unused_result));

/* Appends a header for a body of size bytes. */
void frame_append_header(struct str *out, uint16_t type, uint16_t flags, uint64_t tag, size_t size);
/* Makes room for a header and returns its offset; frame_end fills it in once the body stands behind it. */
size_t frame_begin(struct str *out);
void frame_end(struct str *out, size_t at, uint16_t type, uint16_t flags, uint64_t tag);

#endif
