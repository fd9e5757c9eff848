/* terminals.h - interactive jobs and the terminals that they were begun at. */
#ifndef STOKER_BACKEND_CONTROL_REQUESTS_TERMINALS_H
#define STOKER_BACKEND_CONTROL_REQUESTS_TERMINALS_H

#include "backend/control/clients/session.h"

extern const struct module_ops terminals_module;

/* s has the terminal of the job: where it goes, the job ends after a grace time. */
void terminals_own(struct session *s, uint32_t job);
void req_complete(struct session *s, uint64_t tag, void *body);
bool req_complete_frees(const void *body);
void req_own(struct session *s, uint64_t tag, void *body);

#endif
