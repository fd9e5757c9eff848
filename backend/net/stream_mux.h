/* stream_mux.h - the streams of clients on a node, each with a number, within the one connection of agent
 * and controller. Both ends are the same but for what they do with a new stream.
 *
 *     client ==fd== mux -- TUNNEL_DATA, TUNNEL_TAKEN, TUNNEL_END --> mux ==fd== session
 *                  agent <------------------------------- controller
 */
#ifndef STOKER_BACKEND_NET_STREAM_MUX_H
#define STOKER_BACKEND_NET_STREAM_MUX_H

#include "backend/loop/loop.h"
#include "src/base/list.h"
#include "src/proto/msg.h"

/* Sends over the connection, now or later, and calls nothing here. Returns false where the connection takes
 * no more: the stream is cut off then. */
typedef bool stream_mux_say_fn(void *ctx, enum msg_kind kind, const void *body);

/* Storage is the owner's; n may be read. */
struct stream_mux {
    struct list open;
    unsigned n;
    stream_mux_say_fn *say;
    void *ctx;
};

void stream_mux_init(struct stream_mux *mux, stream_mux_say_fn *say, void *ctx);
/* Takes fd (non-blocking) and carries its bytes until one end or the other is over. */
void stream_mux_add(struct stream_mux *mux, struct loop *l, uint32_t id, uint32_t uid, int fd);
/* TUNNEL_DATA, TUNNEL_TAKEN or TUNNEL_END. No-op for a stream that is over here: its end has crossed this
 * message on the way. Errors: -EMSGSIZE, the other end ignores the window. */
int stream_mux_take(struct stream_mux *mux, enum msg_kind kind, const void *body)
    __attribute__((warn_unused_result));
unsigned stream_mux_of(const struct stream_mux *mux, uint32_t uid);
/* The connection is gone: all streams are cut off, and nothing is sent. */
void stream_mux_drop(struct stream_mux *mux);

#endif
