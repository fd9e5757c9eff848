/* shim.h - the supervisor of one task.
 *
 * It never needs an agent to end its task, and takes no order from any user but root and its own. What it
 * says to the agent: backend/task/shim_setup.h.
 */
#ifndef STOKER_BACKEND_SHIM_SHIM_H
#define STOKER_BACKEND_SHIM_SHIM_H

#include "backend/shim/shim_state.h"

/* Runs the launch in s, from the claim to the end record. Afterwards s->setup.stays is true if the
 * supervisor has told its agent that it waits for another task. Returns false if another process has the
 * task. */
bool shim_run_task(struct shim *s);

#endif
