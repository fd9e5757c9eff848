/* stream_mux.h - clients on a node, each a stream with a number, within the one connection of agent and
 * controller. Both ends are the same but for what they do with a new one.
 *
 *     client ==fd== calls -- CALL_DATA, CALL_TAKEN, CALL_END --> calls ==fd== session
 *                   agent <--------------------------------- controller
 */
#ifndef STOKER_BACKEND_NET_STREAM_MUX_H
#define STOKER_BACKEND_NET_STREAM_MUX_H

#include "backend/loop/loop.h"
#include "src/base/list.h"
#include "src/proto/msg.h"

/* Sends over the connection, now or later, and calls nothing here. Returns false where it takes no more:
 * the call is cut off then. */
typedef bool stream_mux_say_fn(void *ctx, enum msg_kind kind, const void *body);

/* Storage is the owner's; n may be read. */
struct stream_mux {
    struct list open;
    unsigned n;
    stream_mux_say_fn *say;
    void *ctx;
};

void stream_mux_init(struct stream_mux *c, stream_mux_say_fn *say, void *ctx);
/* Carries fd (non-blocking), which is ours now, until one end or the other is over. */
void stream_mux_add(struct stream_mux *c, struct loop *l, uint32_t id, uint32_t uid, int fd);
/* CALL_DATA, CALL_TAKEN or CALL_END. No-op for a call that is over here: its end has crossed this on the
 * way. Errors: -EMSGSIZE, the other end keeps to no window. */
int stream_mux_take(struct stream_mux *c, enum msg_kind kind, const void *body)
    __attribute__((warn_unused_result));
unsigned stream_mux_of(const struct stream_mux *c, uint32_t uid);
/* The connection is gone: all are cut off, without a word. */
void stream_mux_drop(struct stream_mux *c);

#endif
