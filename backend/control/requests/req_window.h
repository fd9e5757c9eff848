/* req_window.h - windows: an administrator sets, changes and removes them. */
#ifndef STOKER_BACKEND_CONTROL_REQUESTS_REQ_WINDOW_H
#define STOKER_BACKEND_CONTROL_REQUESTS_REQ_WINDOW_H

#include "backend/control/clients/session.h"

void req_window(struct session *s, uint64_t tag, void *body);

#endif
