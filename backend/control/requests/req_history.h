/* req_history.h - questions about jobs that have left the state: answered in pieces by the store's thread.
 *
 *     client --HISTORY--> req_history --piece?--> store's thread
 *                             ^                        |
 *            more, room? -----+---- on_piece <---------+        JOBS ... HISTORY_END --> client
 *
 * One question at a time for each session; a piece is asked for only while the client reads what it got. */
#ifndef STOKER_BACKEND_CONTROL_REQUESTS_REQ_HISTORY_H
#define STOKER_BACKEND_CONTROL_REQUESTS_REQ_HISTORY_H

#include "backend/control/clients/session.h"

extern const struct module_ops req_history_module;

void req_history(struct session *s, uint64_t tag, void *body);

#endif
