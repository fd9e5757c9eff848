/* tunnel.h - one end of a byte stream that is carried elsewhere: a local descriptor on this side, pieces in
 * the owner's messages on the other.
 *
 *     descriptor --read--> ops.send -->  ...  --> tunnel_give --write--> descriptor
 *                <------------------ ops.taken: so much has gone on <--
 *
 * Each side may have `window` bytes under way that the other has not passed on: a reader that stops costs
 * that much memory and does not hold up other streams.
 */
#ifndef STOKER_BACKEND_NET_TUNNEL_H
#define STOKER_BACKEND_NET_TUNNEL_H

#include <stdint.h>

#include "backend/loop/loop.h"
#include "src/base/str.h"

struct tunnel_ops {
    void (*send)(void *ctx, const void *p, size_t n); /* what the descriptor gave */
    void (*taken)(void *ctx, uint32_t n);             /* n bytes from the far end were written */
    /* The descriptor is at its end, or broken: the owner may close and free. */
    void (*over)(void *ctx);
};

/* Storage is the owner's. */
struct tunnel {
    struct loop *loop;
    struct loop_fd fd;
    const struct tunnel_ops *ops;
    void *ctx;
    size_t window, piece, under_way;
    struct str out;
    size_t out_at;
    bool ending;
};

/* Takes fd (non-blocking). piece: most bytes of one ops.send. */
void tunnel_open(struct tunnel *t, struct loop *l, int fd, size_t window, size_t piece,
                 const struct tunnel_ops *ops, void *ctx);
/* Closes the descriptor; no callback. No-op on a zeroed or closed one. */
void tunnel_close(struct tunnel *t);
/* Bytes from the far end. May call over. Errors: -EMSGSIZE, the far end ignores the window. */
int tunnel_give(struct tunnel *t, const void *p, size_t n) __attribute__((warn_unused_result));
/* The other side has passed on n of ours. */
void tunnel_taken(struct tunnel *t, uint32_t n);
/* The other side has ended: what it sent is still written, then over is called. */
void tunnel_end(struct tunnel *t);

#endif
