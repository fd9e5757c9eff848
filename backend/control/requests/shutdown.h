/* shutdown.h - the end of the controller, and of the jobs before it. */
#ifndef STOKER_BACKEND_CONTROL_REQUESTS_SHUTDOWN_H
#define STOKER_BACKEND_CONTROL_REQUESTS_SHUTDOWN_H

#include "backend/control/clients/session.h"

extern const struct module_ops shutdown_module;

void req_shutdown(struct session *s, uint64_t tag, void *body);

#endif
