/* conn.h - one stream of frames on the loop: a client that came in, or an agent that the controller called.
 *
 * What is sent carries a ticket (see backend/store/store.h) and stays here until that ticket is committed:
 * so nothing leaves before what it follows from is on disk. Non-blocking, bounded in both directions.
 */
#ifndef STOKER_BACKEND_NET_CONN_H
#define STOKER_BACKEND_NET_CONN_H

#include "backend/loop/loop.h"
#include "backend/net/byte_budget.h"
#include "backend/net/fair_queue.h"
#include "src/proto/frame.h"
#include "src/proto/msg.h"

struct conn;

struct conn_ops {
    /* One whole frame; its body is valid during the call. A negative return closes the connection. */
    int (*on_frame)(void *ctx, struct conn *c, const struct frame *f);
    /* The connection is over, why says how; c is freed after the call. Not called by conn_close. */
    void (*on_close)(void *ctx, struct conn *c, const char *why);
    /* The output has drained below CONN_LOW bytes. May be NULL. */
    void (*on_drain)(void *ctx, struct conn *c);
};

#define CONN_LOW (256u << 10)

/* Takes fd (non-blocking). max_frame: largest body accepted; max_out: queued bytes at which conn_send
 * fails. committed: as of now. */
struct conn *conn_new(struct loop *l, int fd, size_t max_frame, size_t max_out, uint64_t committed,
                      const struct conn_ops *ops, void *ctx) __attribute__((warn_unused_result));
/* It reads as its turn in q comes, from now on. q outlives it. */
void conn_set_queue(struct conn *c, struct fair_queue *q);
/* Whether it waits in its queue. */
bool conn_is_in_queue(const struct conn *c);
/* With this many bytes queued nothing more is read from the peer until they are below CONN_LOW again. 0, as
 * at the start: it is always read. */
void conn_set_enough(struct conn *c, size_t bytes);
/* For the frames that follow. */
void conn_set_max_frame(struct conn *c, size_t max_frame);
/* Closes and frees; from within a callback of c at the end of the loop iteration. */
void conn_close(struct conn *c);

/* What its buffers take is charged to b from now on; where that has no room nothing is read from the peer.
 * NULL: none is charged. b outlives it. */
void conn_set_budget(struct conn *c, struct byte_budget *b);
/* Whether its budget has anything left: pushed events and rows wait, or are left out, where it has not. */
bool conn_has_room(const struct conn *c);
/* For how long the peer has read nothing of what waits for it; 0: nothing waits. */
int64_t conn_unread_ms(const struct conn *c);
/* Whether nothing is read from the peer because it has enough to read. */
bool conn_is_held(const struct conn *c);

/* Queues a message that waits for ticket. If the peer has closed, the message is discarded and true
 * returned; pending input is still read, then on_close is called. False where the queue is full: the caller
 * decides what a slow reader deserves. */
bool conn_send(struct conn *c, uint64_t ticket, enum msg_kind kind, uint64_t tag, const void *body);
/* The same with the body encoded already. */
bool conn_send_encoded(struct conn *c, uint64_t ticket, enum msg_kind kind, uint64_t tag, const void *p,
                       size_t n);

/* Writes what may leave and what the socket takes now, not at the end of the loop iteration: the reader of
 * a long answer can begin. Makes no callback; an error shows in the next iteration. */
void conn_hurry(struct conn *c);
/* Has on_drain called in a later loop iteration, once less than CONN_LOW is queued, even if it never was
 * more, and its budget has room. */
void conn_ask_drain(struct conn *c);

/* Everything up to ticket may leave. */
void conn_release(struct conn *c, uint64_t ticket);
/* Drops what waits for a ticket that will never come. Calls fn for each message dropped. */
void conn_drop_uncommitted(struct conn *c,
                           void (*fn)(void *ctx, struct conn *c, enum msg_kind kind, uint64_t tag),
                           void *ctx);
size_t conn_queued(const struct conn *c);
/* For how long part of a frame has waited for its rest, 0 where none does or this side has yet to read on;
 * or for how long the peer has taken no output after it was given up. */
int64_t conn_stuck_ms(const struct conn *c);
/* The peer is not worth more: no more is read from or sent to it, and on_close follows in a later loop
 * iteration. For use where a caller still uses c. */
void conn_give_up(struct conn *c);
int conn_fd(const struct conn *c);

#endif
