/* uplink.h - the connection of the controller that this agent obeys, for the modules that report to it. */
#ifndef STOKER_BACKEND_AGENT_UPLINK_H
#define STOKER_BACKEND_AGENT_UPLINK_H

#include "backend/agent/wire.h"

struct uplink {
    struct wire *wire; /* NULL: no controller is connected */
    uint64_t serial;   /* of that connection, never used again; 0: none */
};

/* No-op without a controller. */
void uplink_send(struct uplink *u, enum msg_kind kind, uint64_t tag, const void *body);
/* The same with the body encoded already. */
void uplink_send_encoded(struct uplink *u, enum msg_kind kind, uint64_t tag, const void *p, size_t n);

#endif
