#include "backend/agent/uplink.h"

#include "src/proto/msg_node.h"

void uplink_send(struct uplink *u, enum msg_kind kind, uint64_t tag, const void *body)
{
    if (u->wire)
        wire_send(u->wire, kind, tag, msg_node_rec(kind), body);
}

void uplink_send_encoded(struct uplink *u, enum msg_kind kind, uint64_t tag, const void *p, size_t n)
{
    if (u->wire)
        wire_send_encoded(u->wire, kind, tag, p, n);
}
