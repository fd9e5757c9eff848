/* unknown_tasks.h - tasks that a node runs and that no job of this state has.
 *
 * The state was put back from before they began, or is another one. Their end is not decided here: they go
 * on, the node is drained once, and an administrator looks. The state says which there are and what they
 * hold (EV_UNKNOWN), so that none of it is given to a job, until they have ended or an administrator has
 * ended them. */
#ifndef STOKER_BACKEND_CONTROL_NODES_UNKNOWN_TASKS_H
#define STOKER_BACKEND_CONTROL_NODES_UNKNOWN_TASKS_H

#include "backend/control/core.h"

extern const struct module_ops unknown_tasks_module;

/* One of a report, into the event about all of them. */
void unknown_tasks_add(struct control *c, struct ev_unknown *all, const struct launch_status *st);
/* The report is over: takes *all. New ones drain the node. */
void unknown_tasks_take(struct control *c, struct ev_unknown *all);
/* The agent has learnt more of one of them. */
void unknown_tasks_note_running(struct control *c, const char *node, const struct launch_status *st);
/* False where that cannot be noted now: it is to be said again. */
bool unknown_tasks_note_ended(struct control *c, const char *node, const struct launch_key *key);

#endif
