/* util_watch.h - clients that watch what nodes use, all of them or those of one job. A node measures only
 * while a client watches it. */
#ifndef STOKER_BACKEND_CONTROL_NODES_UTIL_WATCH_H
#define STOKER_BACKEND_CONTROL_NODES_UTIL_WATCH_H

#include "backend/control/clients/session.h"

extern const struct module_ops util_watch_module;

void req_watch_util(struct session *s, uint64_t tag, void *body);
/* Nodes are told whether they are to say what they use; a node that knows is not told again. */
void util_watch_tell_nodes(struct control *c);
void util_watch_push(struct control *c, const struct msg_util *u);

#endif
