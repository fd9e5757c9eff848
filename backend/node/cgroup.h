/* cgroup.h - control groups for tasks, where the agent may make them: their memory, the number of their
 * processes.
 *
 * v2, where the agent's own group has the memory controller and is ours to write to:
 *
 *     BASE/agent/              the agent moves there: a group that divides itself holds no process
 *     BASE/stoker-NODE-TASK/   one per task with a limit; NODE is short for the agent's directory
 *
 * BASE is the agent's own group. Where other processes live in it as well (a login session, sshd's for
 * instance) no controller can be passed on; then root makes TOP/stoker and takes that for BASE.
 *
 * v1, also beside a v2 hierarchy that has no controllers (hybrid): BASE/stoker-NODE-TASK/ in the hierarchy
 * of each controller that is wanted, below the agent's own group there.
 *
 * Whatever is written is read back, and a process is put into a first group and looked for there: in a
 * container a write may succeed without any effect.
 */
#ifndef STOKER_BACKEND_NODE_CGROUP_H
#define STOKER_BACKEND_NODE_CGROUP_H

#include <stdbool.h>
#include <stdint.h>

#include "src/base/str.h"

struct cgroups;

/* Finds out which groups can be made; adds notes about what there is. agent_dir: names this agent's groups.
 * max_processes: of one task; 0: a default where it costs no group of its own. */
struct cgroups *cgroups_new(const char *agent_dir, uint64_t max_processes, struct strv *notes);
void cgroups_free(struct cgroups *c);
/* Of the hierarchy that limits memory: 1 or 2; 0: none does. */
int cgroups_memory_version(const struct cgroups *c);
/* Groups with the limits in force, NULL where there is none: the shim watches the memory then. Callers
 * free. bound_processes: a task without a memory limit needs a group too. */
void cgroups_make(const struct cgroups *c, const char *task, uint64_t mem_mib, bool bound_processes,
                  char **ret_memory, char **ret_pids);
/* Memory that is charged to the task's group, without pages of files that the kernel drops when it needs
 * room: what counts against its limit. 0: there is no such group. */
uint64_t cgroups_memory_kib(const struct cgroups *c, const char *task);
/* All groups that the task has. */
void cgroups_remove(const struct cgroups *c, const char *task);

/* --- for other kinds of groups --- */

/* The directory of the task's group below base; NULL where base is. Caller frees. */
char *cgroups_path(const struct cgroups *c, const char *base, const char *task);
void cgroups_remove_below(const struct cgroups *c, const char *base, const char *task);
/* This process's group in the v1 hierarchy of the controller (NULL: in the v2 one), a directory; NULL:
 * there is none. Caller frees. */
char *cgroup_own(const char *controller);
/* Writes to a file of a group. 0 or -errno. */
int cgroup_put(const char *dir, const char *file, const char *text);
void cgroup_remove(const char *path); /* NULL: no-op */

#endif
