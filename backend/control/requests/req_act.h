/* req_act.h - cancel, signal, notify, hold, release, requeue, suspend: what is done to jobs. */
#ifndef STOKER_BACKEND_CONTROL_REQUESTS_REQ_ACT_H
#define STOKER_BACKEND_CONTROL_REQUESTS_REQ_ACT_H

#include "backend/control/clients/session.h"

extern const struct module_ops req_act_module;

void req_act(struct session *s, uint64_t tag, void *body);
bool req_act_frees(const void *body);

#endif
