/* cgroup_trees.h - in which hierarchies of control groups this agent may make groups, and what those bound.
 *
 * Found out once, by trying. A bound is taken from v2 where it can be had there, else from the v1 hierarchy
 * of its controller. v2, where the agent's own group can be divided:
 *
 *     BASE/agent/     the agent moves there: a group that passes controllers on holds no process
 *     BASE/...        the groups of jobs: see job_groups.h
 *
 * BASE is the agent's own group, as a service or a scope with Delegate=yes gives it. Where other processes
 * live in it as well (a login session, sshd's for instance) no controller can be passed on; then root makes
 * TOP/stoker and takes that for BASE.
 */
#ifndef STOKER_BACKEND_NODE_CGROUP_TREES_H
#define STOKER_BACKEND_NODE_CGROUP_TREES_H

#include <stddef.h>

#include "src/base/str.h"

enum cgroup_bound {
    BOUND_MEMORY = 1,
    BOUND_PIDS = 2,
    BOUND_CPUS = 4,     /* cpuset: which ones */
    BOUND_CPU_TIME = 8, /* cpu: how many, where there is no cpuset */
};
#define CGROUP_TREES_MAX 4

struct cgroup_tree {
    char *base; /* groups are made below it */
    int version;
    unsigned bounds; /* enum cgroup_bound */
};

struct cgroup_trees {
    struct cgroup_tree v[CGROUP_TREES_MAX];
    size_t n;
};

/* Adds a note for what each bound is kept by, or why it is not. */
void cgroup_trees_find(struct cgroup_trees *t, struct strv *notes);
void cgroup_trees_fini(struct cgroup_trees *t);
/* NULL: no tree bounds it. */
const struct cgroup_tree *cgroup_trees_of(const struct cgroup_trees *t, enum cgroup_bound bound);

#endif
