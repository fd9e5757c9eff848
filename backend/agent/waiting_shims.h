/* waiting_shims.h - supervisors that have ended their task and wait for another.
 *
 * To begin a supervisor and to end it costs as much as all that it does for a short task. So one that is in
 * no control group, and whose agent is of its own account, may stay (backend/task/shim_setup.h). It gets
 * tasks of the same user alone, and goes when none comes for a while: it ends when its socket is closed.
 */
#ifndef STOKER_BACKEND_AGENT_WAITING_SHIMS_H
#define STOKER_BACKEND_AGENT_WAITING_SHIMS_H

#include <stdint.h>
#include <sys/types.h>

struct agent;
struct waiting_shims;

struct waiting_shims *waiting_shims_new(struct agent *a);
void waiting_shims_free(struct waiting_shims *w);
/* The number of supervisors that a signal has ended so far. Where one was, as one that a user's process has
 * made crash, what that process has learned must be of no use (backend/rights/forkserver.h): those that
 * were there then get no other task. */
unsigned waiting_shims_n_killed(const struct waiting_shims *w);
/* Takes fd; closes it where enough wait already. n_killed: as it was when its task was launched. */
void waiting_shims_keep(struct waiting_shims *w, pid_t pid, uint32_t uid, int fd, unsigned n_killed);
/* The one of the user that has waited for the shortest time: its socket, the caller's then. -1: none. */
int waiting_shims_take(void *w, uint32_t uid, pid_t *ret_pid);
/* A child has been reaped with the status of waitpid. */
void waiting_shims_child_ended(struct waiting_shims *w, pid_t pid, int status);

#endif
