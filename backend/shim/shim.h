/* shim.h - the supervisor of one task.
 *
 * It never needs an agent to end its task, and takes no order from any user but root and its own. What it
 * says to the agent: backend/task/shim_setup.h.
 */
#ifndef STOKER_BACKEND_SHIM_SHIM_H
#define STOKER_BACKEND_SHIM_SHIM_H

/* The whole life of a shim. Returns its exit status. */
int shim_main(const char *dir);

#endif
