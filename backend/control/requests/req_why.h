/* req_why.h - why a job waits, what each of many waits for, the plan. */
#ifndef STOKER_BACKEND_CONTROL_REQUESTS_REQ_WHY_H
#define STOKER_BACKEND_CONTROL_REQUESTS_REQ_WHY_H

#include "backend/control/clients/session.h"

void req_why(struct session *s, uint64_t tag, void *body);
void req_waits(struct session *s, uint64_t tag, void *body);
void req_plan(struct session *s, uint64_t tag, void *body);

#endif
