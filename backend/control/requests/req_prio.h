/* req_prio.h - priorities and shares, as clients ask for them. */
#ifndef STOKER_BACKEND_CONTROL_REQUESTS_REQ_PRIO_H
#define STOKER_BACKEND_CONTROL_REQUESTS_REQ_PRIO_H

#include "backend/control/clients/session.h"

void req_prio(struct session *s, uint64_t tag, void *body);
void req_shares(struct session *s, uint64_t tag, void *body);

#endif
