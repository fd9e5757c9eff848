/* msg_node.h - the messages between a controller and an agent, by a table of their own.
 *
 * The table of all messages (msg.h) leads to every record that there is: jobs, events, plans. The programs
 * of a node run as root, so they link this one instead, and can decode nothing else.
 */
#ifndef STOKER_PROTO_MSG_NODE_H
#define STOKER_PROTO_MSG_NODE_H

#include "src/proto/msg.h"

struct frame;

/* NULL: no agent sends or takes that message. */
const struct rec_desc *msg_node_rec(enum msg_kind kind);
/* As msg_decode and msg_free. -EPROTO: a message that is not for agents. */
int msg_node_decode(const struct frame *f, void **ret, struct errtext *err)
    __attribute__((warn_unused_result));
void msg_node_free(enum msg_kind kind, void *body);

/* As msg_append and msg_decode, where the caller knows the body. */
void msg_append_as(struct str *out, const struct rec_desc *d, enum msg_kind kind, uint64_t tag,
                   const void *body);
int msg_decode_as(const struct rec_desc *d, const struct frame *f, void **ret, struct errtext *err)
    __attribute__((warn_unused_result));

#endif
