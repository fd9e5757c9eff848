/* req_update.h - scontrol update of a job: which members may change, when, and by whom. */
#ifndef STOKER_BACKEND_CONTROL_REQUESTS_REQ_UPDATE_H
#define STOKER_BACKEND_CONTROL_REQUESTS_REQ_UPDATE_H

#include "backend/control/clients/session.h"

void req_update(struct session *s, uint64_t tag, void *body);

#endif
