/* shim_group.h - the control groups that the agent has made for this task: the shim enters its own, its
 * ranks theirs.
 *
 * To move a process into a v2 group takes up to 10 ms, as the kernel waits for all CPUs. So processes are
 * begun there (clone3 with CLONE_INTO_CGROUP, Linux 5.7) and moved only where that cannot be done. In v1 a
 * process of one thread that moves itself waits for nothing (0.1 ms), and what it forks is there as well.
 */
#ifndef STOKER_BACKEND_SHIM_SHIM_GROUP_H
#define STOKER_BACKEND_SHIM_SHIM_GROUP_H

#include "backend/shim/shim_state.h"

/* As fork, in the v2 group that the descriptor is of. flags: CLONE_PARENT or 0. -1: nothing was begun,
 * errno says why. */
long shim_group_clone(unsigned long flags, int group);

/* The shim into its groups, before its first rank. 0 or -errno, with a message. */
int shim_group_enter(struct shim *s);
/* As fork, for a rank: it must call shim_group_join. */
pid_t shim_group_fork(const struct shim *s);
/* In a rank: into those groups that it is not in yet. 0, or -errno with *ret_group, the one that cannot be
 * entered. */
int shim_group_join(const struct shim *s, const char **ret_group);
/* Out of the group of the job's CPUs: a job that has more processes than it can run must not keep its shim
 * from killing them. Not needed where a group is killed at once. Returns whether it has left. */
bool shim_group_leave_cpus(struct shim *s);
/* SIGKILL to all in the group of the ranks. False: there is none, or it cannot be killed as a whole. */
bool shim_group_kill(const struct shim *s);

#endif
