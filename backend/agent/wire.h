/* wire.h - one stream of frames on the agent's loop: the controller, or a shim.
 *
 * Non-blocking. What is sent gathers until wire_flush_all at the end of the turn: one call of the kernel
 * for all of it. What cannot leave is kept up to `max_out` bytes; a peer that lets it grow over that is cut
 * off.
 */
#ifndef STOKER_BACKEND_AGENT_WIRE_H
#define STOKER_BACKEND_AGENT_WIRE_H

#include "backend/loop/loop.h"
#include "src/base/list.h"
#include "src/proto/frame.h"
#include "src/proto/msg.h"

struct wire_ops {
    /* One frame; its body is valid during the call. A negative return closes. Must not call wire_close on
     * the same wire. */
    int (*on_frame)(void *ctx, const struct frame *f);
    /* The stream is over: the descriptor is closed already, and the owner may free what holds the wire.
     * Where the peer has gone, all that it had sent has come to on_frame. */
    void (*on_close)(void *ctx, const char *why);
};

/* Storage is the owner's. Zeroed = closed. */
struct wire {
    struct loop *loop;
    struct loop_fd fd;
    struct frame_reader in;
    struct str out;
    size_t out_at, max_out;
    bool open, full;
    struct list link, *dirty; /* link is in *dirty while something waits to be flushed */
    const struct wire_ops *ops;
    void *ctx;
};

/* Takes fd. max_frame: largest body that is accepted, and a tenth of what is queued. dirty: the list that
 * wire_flush_all is given. */
void wire_open(struct wire *w, struct loop *l, struct list *dirty, int fd, size_t max_frame,
               const struct wire_ops *ops, void *ctx);
void wire_flush_all(struct list *dirty);
/* No-op when closed; on_close is not called. */
void wire_close(struct wire *w);
/* Closes the wire and returns its descriptor, which the caller then owns. Returns -1 and changes nothing if
 * part of a frame has come or something waits to be sent. May be called from on_frame. */
int wire_release(struct wire *w);
/* Dropped silently when closed. body may be NULL. */
void wire_send(struct wire *w, unsigned type, uint64_t tag, const struct rec_desc *d, const void *body);
/* The same with the body encoded already. */
void wire_send_encoded(struct wire *w, unsigned type, uint64_t tag, const void *p, size_t n);

#endif
