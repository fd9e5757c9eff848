/* node_avoid.h - launches that fail for no fault of the job: the node is avoided for a while.
 *
 * The job's user is unknown on the node or not admitted there, or the node can start nothing. The job goes
 * back to the queue, a task of a step job waits for another place, and the node is avoided: for that user,
 * or for all where nothing can be started. Without that a node that fails at once and is free again at once
 * takes the whole queue, job by job. It is tried again after a while, with another agent, and when an
 * administrator resumes it. The state says which nodes avoid whom, and why: EV_AVOID.
 *
 * A step that srun starts fails with its text: its job has its nodes, and its script decides. */
#ifndef STOKER_BACKEND_CONTROL_NODES_NODE_AVOID_H
#define STOKER_BACKEND_CONTROL_NODES_NODE_AVOID_H

#include "backend/control/core.h"

extern const struct module_ops node_avoid_module;

/* Before the end of such a launch: its job goes back to the queue with that end, and the node is avoided.
 * True: its task waits for another place, and this is not an end. */
bool node_avoid_spare_job(struct control *c, const char *node, const struct launch_end *end);
/* The node may be tried again by all users: an administrator has resumed it, or its agent is a new one. */
void node_avoid_clear(struct control *c, const char *node);
/* Ends what is over, and sets the timer for the rest: at the start, and when the disk can be written. */
void node_avoid_expire(struct control *c);

#endif
