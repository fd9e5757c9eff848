/* row_feed.h - what is pushed to the sessions that follow the jobs of their own user: rows and totals.
 *
 * The rows of the jobs that events have touched are sent once per loop iteration, and before any answer to
 * such a session, so that no answer comes before the row of its job. A row is encoded once, however many
 * sessions its user has. The totals of the cluster follow a change at once, but at most every 50 ms.
 *
 * A change of the configuration, and a session that reads too slowly, make the session ask again. */
#ifndef STOKER_BACKEND_CONTROL_CLIENTS_ROW_FEED_H
#define STOKER_BACKEND_CONTROL_CLIENTS_ROW_FEED_H

#include "backend/control/core.h"

extern const struct module_ops row_feed_module;

/* Sends what has been touched; no-op where that is nothing. */
void row_feed_flush(struct control *c);

#endif
