/* job_actions.h - what the state asks for: launches, kills, steps to place.
 *
 * Derived and idempotent: looks at a job, compares with what has been sent over the present connections,
 * and asks for what is missing. May be called at any time, as often as one likes. */
#ifndef STOKER_BACKEND_CONTROL_NODES_JOB_ACTIONS_H
#define STOKER_BACKEND_CONTROL_NODES_JOB_ACTIONS_H

#include "backend/control/core.h"

void job_actions_derive(struct control *c, struct job *j);

#endif
