/* req_node.h - drain, resume, notes, ends of unknown tasks: what administrators say about nodes. */
#ifndef STOKER_BACKEND_CONTROL_REQUESTS_REQ_NODE_H
#define STOKER_BACKEND_CONTROL_REQUESTS_REQ_NODE_H

#include "backend/control/clients/session.h"

void req_drain(struct session *s, uint64_t tag, void *body);
void req_note(struct session *s, uint64_t tag, void *body);
void req_node_task_end(struct session *s, uint64_t tag, void *body);

#endif
