/* held_jobs.h - what this node keeps for a job until the job has ended: a /tmp of its own
 * (backend/rights/private_tmp.h).
 *
 * A job may have no task here and still run: between two steps, or while a task of it waits elsewhere. Only
 * the controller knows. So the agent asks about jobs that it holds something for and that have no task
 * here: at each connection, when the last task has ended, and then again, ever less often. No message has
 * to arrive: a job that ended while this agent, its controller or the connection was away is found at the
 * next question. A task of a step job has an allocation of its own; what it holds goes with its end.
 */
#ifndef STOKER_BACKEND_AGENT_HELD_JOBS_H
#define STOKER_BACKEND_AGENT_HELD_JOBS_H

#include "src/proto/msg.h"

struct agent;
struct held_jobs;

/* Reads what the agent before this one has left. */
struct held_jobs *held_jobs_new(struct agent *a);
void held_jobs_free(struct held_jobs *h);
/* A task has begun with what is held for its job. group: the word of its control groups. */
void held_jobs_add(struct held_jobs *h, uint32_t uid, uint64_t nonce, const char *group);
/* The controller has connected, or a job has no task here any more: asks soon. */
void held_jobs_ask_soon(struct held_jobs *h);
/* answers: the controller that is connected now answers HELD_JOBS. */
void held_jobs_set_controller(struct held_jobs *h, bool answers);
/* These are over: what is held for them goes. */
void held_jobs_over(struct held_jobs *h, const struct msg_held_jobs *m);

#endif
