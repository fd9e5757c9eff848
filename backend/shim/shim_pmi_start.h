/* shim_pmi_start.h - starts the PMI server of a task, the program stoker-pmi.
 *
 *     shim --clone, no signal--> parent --fork, exec--> stoker-pmi
 *
 * waitpid(-1) passes over a child without a signal of its end, so the shim knows when the processes of the
 * task are through. A program that is started gets SIGCHLD as that signal: started by the shim itself it
 * would be one of them. The parent starts no program, and is root as the shim is: the user can neither end
 * nor trace it. It waits for the server, so the shim need not, and the server ends with it.
 */
#ifndef STOKER_BACKEND_SHIM_SHIM_PMI_START_H
#define STOKER_BACKEND_SHIM_SHIM_PMI_START_H

#include "backend/shim/shim_state.h"

/* Opens the program that lies beside this one. -1: there is none. */
int shim_pmi_open_program(void);
/* Starts the server. ours: of each rank, the server's end of its socket; shim_fd: that of the shim's
 * socket. The caller closes them. Returns the number of the parent or -errno. */
pid_t shim_pmi_start_server(const struct shim *s, const int *ours, int shim_fd);
/* Ends parent and server, and waits no longer than a moment. Returns whether the parent has been waited
 * for: otherwise its number is its own still. */
bool shim_pmi_end_server(pid_t parent, int fd);

#endif
