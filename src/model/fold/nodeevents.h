/* nodeevents.h - what has happened to a node: drains, resumes and notes with their authors, losses,
 * returns, reboots, and GPUs that broke.
 *
 * The fold keeps them in the node's record (struct node_event), so that they are there after a restart of
 * the controller and the same for all programs. Bound: the last NODE_EVENTS_MAX of a node. Whether an event
 * is kept depends on the event alone and not on the state: the log of a controller may have lost older
 * events of the node (backend/control/compact.h).
 */
#ifndef STOKER_MODEL_FOLD_NODEEVENTS_H
#define STOKER_MODEL_FOLD_NODEEVENTS_H

#include "src/model/event.h"

#define NODE_EVENTS_MAX 20

/* Does the event stand in the record of its node, once it has been applied? */
bool nodeevents_keeps(const struct event *ev);
/* Keeps what of the event belongs in the record. Called by the fold alone. */
void nodeevents_note(struct node *n, const struct event *ev);

/* The node was lost and has not come back: a loss is not told twice. */
bool nodeevents_is_away(const struct node *n);

#endif
