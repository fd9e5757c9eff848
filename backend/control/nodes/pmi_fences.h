/* pmi_fences.h - fences of steps on several nodes: what the ranks of one node have put reaches the others.
 *
 * Kept in memory alone: a task says its part again until it has the answer, so a controller that has just
 * started collects again. A fence belongs to one run of a step, which the attempt of the step's first task
 * names: a job that was queued again has steps with the same numbers, whose fences begin with 0 again. It
 * goes when the step ends.
 *
 * The last answer is kept for a task whose node was out of reach meanwhile. A controller that has just been
 * started has no last answer, and the controller before it may have answered some tasks alone. A task that
 * lacks the answer repeats its part and cannot go on; the tasks that have it cannot complete the next
 * fence, and may not even come to it. Their supervisors keep the answer of the last fence: it is fetched
 * from one of them, piece by piece. All tasks have the answer of fence k before any task is past fence k +
 * 1, so one is enough. A step whose supervisors are of a release that keeps nothing is ended. A supervisor
 * whose ranks have ended stays until it is told that all tasks are past its last fence; the tasks are asked
 * then, as this controller may not have seen them come so far.
 *
 * Answers go in pieces, and only while the node's connection has room: a user's step must not break it. A
 * step that puts more than a fence may hold, or than there is room for here, is ended and told so. */
#ifndef STOKER_BACKEND_CONTROL_NODES_PMI_FENCES_H
#define STOKER_BACKEND_CONTROL_NODES_PMI_FENCES_H

#include "backend/control/core.h"

extern const struct module_ops pmi_fences_module;

/* A task's part of a fence. Once all parts are here each task of the step gets all of them. */
void pmi_fences_take(struct control *c, struct msg_pmi *m);

#endif
