/* followers.h - what is pushed to the sessions that follow: events and reasons.
 *
 * While a session gets its snapshot, nothing is pushed to it: the state that it shows still is an older
 * one. What changes of the rows that it has is noted (struct late) and told at the snapshot's end
 * (job_rows.c). A session that reads too slowly is told to ask again instead of filling the controller's
 * memory. */
#ifndef STOKER_BACKEND_CONTROL_CLIENTS_FOLLOWERS_H
#define STOKER_BACKEND_CONTROL_CLIENTS_FOLLOWERS_H

#include "backend/control/core.h"

extern const struct module_ops followers_module;

struct session;
/* It is too slow for what is pushed: once there is room it is told to ask again; nothing else is sent. */
void followers_tell_resync(struct session *s);

void followers_push_reasons(struct control *c, const struct msg_reasons *rows);

#endif
