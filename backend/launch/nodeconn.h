/* nodeconn.h - the controller's connection to one node's agent: called, greeted, watched, called again.
 *
 *     DOWN --connect--> GREETING --MSG_AGENT--> UP --lost or silent--> DOWN (again after a growing pause)
 *
 * transport "local": the agent's Unix socket on this machine; where no agent answers one is started,
 * detached, so that it outlives the controller.
 */
#ifndef STOKER_BACKEND_NODECONN_H
#define STOKER_BACKEND_NODECONN_H

#include "backend/server/conn.h"

struct nodeconn;

struct nodeconn_ops {
    /* It answered the greeting: m says what it is and holds. Called at each greeting. */
    void (*on_agent)(void *ctx, struct nodeconn *n, struct msg_agent *m);
    /* Any other message. A negative return drops the connection. */
    int (*on_msg)(void *ctx, struct nodeconn *n, enum msg_kind kind, uint64_t tag, void *body);
    void (*on_down)(void *ctx, struct nodeconn *n, const char *why);
};

struct nodeconn_config {
    const char *dir; /* of the agent: <state>/agent/<node> */
    const char *log; /* its log file */
    const char *node;
    const struct msg_hello *hello;
};

struct nodeconn *nodeconn_new(struct loop *l, const struct nodeconn_config *cfg, uint64_t committed,
                              const struct nodeconn_ops *ops, void *ctx)
    __attribute__((warn_unused_result));
void nodeconn_free(struct nodeconn *n);

const char *nodeconn_node(const struct nodeconn *n);
bool nodeconn_is_up(const struct nodeconn *n);
/* Queued behind gate; dropped silently while it is not up: after the next greeting the controller looks
 * again. */
bool nodeconn_send(struct nodeconn *n, uint64_t gate, enum msg_kind kind, uint64_t tag, const void *body);
/* The same with the body encoded already. */
bool nodeconn_send_encoded(struct nodeconn *n, uint64_t gate, enum msg_kind kind, uint64_t tag,
                           const void *p, size_t size);
/* Bytes that wait to be taken by the agent. */
size_t nodeconn_queued(const struct nodeconn *n);
void nodeconn_release(struct nodeconn *n, uint64_t gate);
/* Asks for a fresh MSG_AGENT. */
void nodeconn_greet(struct nodeconn *n);
/* What it is greeted with from now on; at once where it differs: then true. */
bool nodeconn_set_hello(struct nodeconn *n, const struct msg_hello *hello);
/* Drops the connection and calls again at once. */
void nodeconn_reset(struct nodeconn *n, uint64_t committed, const char *why);

#endif
