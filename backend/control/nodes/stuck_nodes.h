/* stuck_nodes.h - a node with processes that will not die, or with a full disk, is drained for as long.
 *
 * A supervisor that has killed for a minute says so (launch_status.stuck). What hangs in the kernel there,
 * on a dead file server most of the time, would hang the next job as well; the job itself keeps what it
 * holds and stays "completing".
 *
 * A node without room for what tasks write refuses every launch: undrained it would swallow the queue. What
 * it has refused goes back to the queue: node_avoid.c.
 *
 * A drain by an administrator is never touched. */
#ifndef STOKER_BACKEND_CONTROL_NODES_STUCK_NODES_H
#define STOKER_BACKEND_CONTROL_NODES_STUCK_NODES_H

#include "backend/control/core.h"

struct attempt_state;

/* What a node says of a task that f stands for: may drain it. */
void stuck_nodes_note(struct control *c, const char *node, const struct launch_status *st,
                      struct attempt_state *f);
/* After an end there, or a report: a drain of ours is lifted where its cause is gone. */
void stuck_nodes_check_over(struct control *c, const char *node);
/* What a node says of the room on its disk. */
void stuck_nodes_note_disk(struct control *c, const char *node, bool full);

#endif
