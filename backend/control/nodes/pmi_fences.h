/* pmi_fences.h - fences of steps on several nodes: what the ranks of one node have put reaches the others.
 *
 * Kept in memory alone: a task says its part again until it has the answer, so a controller that has just
 * started collects again. A fence belongs to one run of a step, which the attempt of the step's first task
 * names: a job that was queued again has steps with the same numbers, whose fences begin with 0 again. It
 * goes when the step ends.
 *
 * The last answer is kept for a task whose node was out of reach meanwhile. Only a fence that all tasks
 * have reached becomes the last answer: what a controller that has just started has collected of an earlier
 * one is not complete, and a task that still waits for that cannot go on: its step is ended. Answers go in
 * pieces, and only while the node's connection has room: a user's step must not break it. A step that puts
 * more than a fence may hold, or than there is room for here, is ended and told so. */
#ifndef STOKER_BACKEND_CONTROL_NODES_PMI_FENCES_H
#define STOKER_BACKEND_CONTROL_NODES_PMI_FENCES_H

#include "backend/control/core.h"

extern const struct module_ops pmi_fences_module;

/* A task's part of a fence. Once all parts are here each task of the step gets all of them. */
void pmi_fences_take(struct control *c, struct msg_pmi *m);

#endif
