/* waiting_shims.h - supervisors that have ended their task and wait for another.
 *
 * To start and to end a supervisor costs as much as all that it does for a short task. So a supervisor may
 * stay (backend/task/shim_setup.h) if it is not in a v2 control group and its agent has the same account.
 * It gets only tasks of the same user. If none comes for a while, the agent closes its socket, and the
 * supervisor ends. It keeps the directory of its last task for the next one.
 */
#ifndef STOKER_BACKEND_AGENT_WAITING_SHIMS_H
#define STOKER_BACKEND_AGENT_WAITING_SHIMS_H

#include "backend/task/taskdir.h"

struct agent;
struct atask;
struct waiting_shims;

struct waiting_shims *waiting_shims_new(struct agent *a);
void waiting_shims_free(struct waiting_shims *w);
/* The number of supervisors that a signal has ended so far. A user's process may have made such a
 * supervisor crash, and what that process has learned of its memory must be of no use
 * (backend/rights/forkserver.h): supervisors that existed at that time get no other task. */
unsigned waiting_shims_n_killed(const struct waiting_shims *w);
/* The supervisor of t, which has ended. Takes fd; closes it if enough supervisors wait already. */
void waiting_shims_keep(struct waiting_shims *w, pid_t pid, int fd, const struct atask *t);
/* The supervisor whose last task this was keeps its directory from now on. False: it waits no more. */
bool waiting_shims_keep_dir(struct waiting_shims *w, const struct launch_key *key);
/* Removes a kept directory that has the name of this launch's. */
void waiting_shims_drop_dir(struct waiting_shims *w, const struct launch_key *key);
/* Takes the supervisor of the user that has waited for the shortest time, if it can one that has kept a
 * directory: the end of the task of another may not be acknowledged yet. Returns its socket, which the
 * caller owns; -1: none waits. The directory becomes that of `task` (NULL: it is removed); *ret_has_dir: it
 * has. */
int waiting_shims_take(void *w, uint32_t uid, const char *task, pid_t *ret_pid, bool *ret_has_dir);
/* A child has been reaped with the status of waitpid. */
void waiting_shims_child_ended(struct waiting_shims *w, pid_t pid, int status);

#endif
