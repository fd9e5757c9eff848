/* containment.h - each job of this node in a control group of its own: what it is given, when it is
 * removed.
 *
 * Tasks of one job share its group. A task with an allocation of its own (a step job's; any of a controller
 * of an earlier release) has a group of its own. A group goes when the last task of it has ended and the
 * supervisor is gone; what does not go at once is tried again.
 */
#ifndef STOKER_BACKEND_AGENT_CONTAINMENT_H
#define STOKER_BACKEND_AGENT_CONTAINMENT_H

#include "backend/agent/task_table.h"
#include "backend/rights/rights.h"

struct containment;

/* Adds notes of what the machine offers to a->facts. */
struct containment *containment_new(struct agent *a);
void containment_free(struct containment *c);
/* Where logind kills the processes of a session, an agent that was started in one ends with it: a note says
 * so. */
void containment_note_session(struct agent *a);
/* Once the GPUs of the machine are known, and again when the policy was read: closes those of others where
 * the policy says so, or says nothing. */
void containment_close_gpus(struct containment *c);
/* Before each report: corrects the note about what is closed, which depends on the configuration of the
 * node. */
void containment_note_gpus(struct containment *c);
/* When the tasks of the agent before this one are known: what it has left of others is killed and
 * removed. */
void containment_sweep(struct containment *c);

/* Whether a task that lives here is in the group. */
bool containment_has_tasks(const struct containment *c, const char *group);
/* The task is in the group: it was begun there, or its shim has noted so; "": in none. */
void containment_adopt(struct containment *c, struct atask *t, const char *group);
/* Into q: the groups that the task named `task` is to have. True: it gets names of GPUs instead of
 * numbers. */
bool containment_ask(const struct containment *c, const struct launch *l, const char *task,
                     struct rights_request *q);
uint64_t containment_memory_kib(const struct containment *c, const struct atask *t);
/* SIGKILL to its processes. */
void containment_kill(const struct containment *c, const struct atask *t);
/* Before the agent stops: the groups of tasks that have just ended go with their supervisors, for which
 * this waits 200 ms at most. No agent may come after this one. */
void containment_finish(struct containment *c);
/* It has ended. */
void containment_leave(struct containment *c, struct atask *t);
/* The group of a job goes as soon as it can, unless another task uses it. */
void containment_remove_later(struct containment *c, const char *group);

#endif
