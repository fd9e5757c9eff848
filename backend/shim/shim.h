/* shim.h - the supervisor of one task.
 *
 * It never needs an agent to end its task, and takes no order from any user but root and its own. What it
 * says to the agent: backend/task/shim_setup.h.
 */
#ifndef STOKER_BACKEND_SHIM_SHIM_H
#define STOKER_BACKEND_SHIM_SHIM_H

#include "backend/shim/shim_state.h"

/* From the claim to the end record, of the launch in s. s->setup.stays is true afterwards where the
 * supervisor has told its agent that it waits for another. False where another process has the task. */
bool shim_run_task(struct shim *s);

#endif
