/* req_script.h - scripts of jobs, read back from the store where they are not at hand. */
#ifndef STOKER_BACKEND_CONTROL_REQUESTS_REQ_SCRIPT_H
#define STOKER_BACKEND_CONTROL_REQUESTS_REQ_SCRIPT_H

#include "backend/control/clients/session.h"

extern const struct module_ops req_script_module;

void req_script(struct session *s, uint64_t tag, void *body);

#endif
