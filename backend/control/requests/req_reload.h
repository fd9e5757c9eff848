/* req_reload.h - the configuration is read again, because an administrator asks. */
#ifndef STOKER_BACKEND_CONTROL_REQUESTS_REQ_RELOAD_H
#define STOKER_BACKEND_CONTROL_REQUESTS_REQ_RELOAD_H

#include "backend/control/clients/session.h"

void req_reload(struct session *s, uint64_t tag, void *body);

#endif
