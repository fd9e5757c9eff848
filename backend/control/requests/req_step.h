/* req_step.h - srun: steps of a job that runs. */
#ifndef STOKER_BACKEND_CONTROL_REQUESTS_REQ_STEP_H
#define STOKER_BACKEND_CONTROL_REQUESTS_REQ_STEP_H

#include "backend/control/clients/session.h"

extern const struct module_ops req_step_module;

void req_step_create(struct session *s, uint64_t tag, void *request);

#endif
