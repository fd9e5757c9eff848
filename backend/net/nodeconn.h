/* nodeconn.h - the controller's connection to one node's agent: called, greeted, watched, called again.
 *
 *     DOWN --connect--> GREETING --MSG_AGENT--> UP --lost or silent--> DOWN (again after a growing pause)
 *
 * transport "local": the agent's Unix socket on this machine; where no agent answers one is started,
 * detached, so that it outlives the controller; not where a service manager keeps it. "ssh": a stream that
 * stoker-link joins to the agent there; its reports about a node that cannot be reached are handed on.
 * Pauses before SSH grow from half a second to half a minute, from half a minute to ten after a refused
 * login or host key (sshd penalises clients that keep failing), each a little longer or shorter than its
 * neighbour's. A pause begins from its shortest again only after a connection that lasted half a minute: an
 * agent that greets well and then breaks the protocol is called less and less often too.
 */
#ifndef STOKER_BACKEND_NET_NODECONN_H
#define STOKER_BACKEND_NET_NODECONN_H

#include "backend/net/conn.h"
#include "backend/net/ssh_process.h"

struct nodeconn;

struct nodeconn_ops {
    /* It answered the greeting: m says what it is and holds. Called at each greeting. */
    void (*on_agent)(void *ctx, struct nodeconn *n, struct msg_agent *m);
    /* Any other message. A negative return drops the connection. */
    int (*on_msg)(void *ctx, struct nodeconn *n, enum msg_kind kind, uint64_t tag, void *body);
    void (*on_down)(void *ctx, struct nodeconn *n, const char *why);
    /* It cannot be reached; text says why, and what helps. Called when that is news. */
    void (*on_trouble)(void *ctx, struct nodeconn *n, const char *text);
    /* After nodeconn_ask_drain: it has taken nearly all that was queued. May be NULL. */
    void (*on_drain)(void *ctx, struct nodeconn *n);
};

struct nodeconn_config {
    const char *dir;    /* of the agent: <state>/agent/<node> */
    const char *socket; /* of a local agent that a service manager keeps; NULL: one of ours in dir */
    const char *log;    /* its log file */
    const char *node;
    const struct msg_hello *hello;
    uint64_t hello_ticket;      /* it is greeted when this is committed: its epoch is on disk then */
    int64_t beat_ms;            /* between heartbeats: after three without an answer it is out of reach */
    struct ssh_process *ssh;    /* NULL: local */
    const struct ssh_order *to; /* where to, over SSH */
};

struct nodeconn *nodeconn_new(struct loop *l, const struct nodeconn_config *cfg, uint64_t committed,
                              const struct nodeconn_ops *ops, void *ctx)
    __attribute__((warn_unused_result));
void nodeconn_free(struct nodeconn *n);

const char *nodeconn_node(const struct nodeconn *n);
bool nodeconn_is_up(const struct nodeconn *n);
/* Queued behind ticket; dropped silently while it is not up: after the next greeting the controller looks
 * again. */
bool nodeconn_send(struct nodeconn *n, uint64_t ticket, enum msg_kind kind, uint64_t tag, const void *body);
/* The same with the body encoded already. The tag of a launch is what renews leases. */
bool nodeconn_send_encoded(struct nodeconn *n, uint64_t ticket, enum msg_kind kind, uint64_t tag,
                           const void *p, size_t size);
/* Whether one more line about its connections may be logged in this minute. */
bool nodeconn_may_log(struct nodeconn *n);
/* Bytes that wait to be taken by the agent. */
size_t nodeconn_queued(const struct nodeconn *n);
/* Has on_drain called in a later loop iteration, once little is queued; not where the connection ends
 * before. */
void nodeconn_ask_drain(struct nodeconn *n);
void nodeconn_release(struct nodeconn *n, uint64_t ticket);
/* Asks for a fresh MSG_AGENT. */
void nodeconn_greet(struct nodeconn *n);
/* What it is greeted with from now on; at once where it differs: then true. */
bool nodeconn_set_hello(struct nodeconn *n, const struct msg_hello *hello, uint64_t ticket);
/* No greeting leaves before the next one is set: what it would name is void. */
void nodeconn_hold_hello(struct nodeconn *n);
/* Where it is from now on; called again where that differs. Only for a node that is reached over SSH. */
void nodeconn_set_target(struct nodeconn *n, const struct ssh_order *to);
/* The same for a local one. */
void nodeconn_set_socket(struct nodeconn *n, const char *socket);
/* Something has changed that may help: a node that is not up is called at once. */
void nodeconn_hurry(struct nodeconn *n);
/* When its agent was heard last, in answer to something: no lease there counts from later. At first when
 * this connection was made known, since an earlier controller's is over by then. */
struct mono nodeconn_t_heard(const struct nodeconn *n);
bool nodeconn_is_local(const struct nodeconn *n);
/* Drops the connection and calls again at once. */
void nodeconn_reset(struct nodeconn *n, uint64_t committed, const char *why);

#endif
