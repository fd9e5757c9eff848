/* req_submit.h - a job comes in: checked, made, acknowledged once it is on disk. */
#ifndef STOKER_BACKEND_CONTROL_REQUESTS_REQ_SUBMIT_H
#define STOKER_BACKEND_CONTROL_REQUESTS_REQ_SUBMIT_H

#include "backend/control/clients/session.h"

extern const struct module_ops req_submit_module;

void req_submit(struct session *s, uint64_t tag, void *body);

#endif
