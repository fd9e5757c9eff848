/* req_stats.h - figures about the controller. */
#ifndef STOKER_BACKEND_CONTROL_REQUESTS_REQ_STATS_H
#define STOKER_BACKEND_CONTROL_REQUESTS_REQ_STATS_H

#include "backend/control/clients/session.h"

extern const struct module_ops req_stats_module;

void req_stats(struct session *s, uint64_t tag, void *body);
void req_ping(struct session *s, uint64_t tag, void *body);

#endif
