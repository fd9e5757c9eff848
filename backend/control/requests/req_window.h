/* req_window.h - windows: an administrator sets, changes and removes them.
 *
 * The name service is asked whether the users of a window exist: the request waits for its answers. */
#ifndef STOKER_BACKEND_CONTROL_REQUESTS_REQ_WINDOW_H
#define STOKER_BACKEND_CONTROL_REQUESTS_REQ_WINDOW_H

#include "backend/control/clients/session.h"

extern const struct module_ops req_window_module;

void req_window(struct session *s, uint64_t tag, void *body);

#endif
