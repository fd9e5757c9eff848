/* job_groups.h - the control groups of jobs: one for each job, that of each of its tasks below it.
 *
 *     v2   BASE/stoker-NODE-JOB/                   the job's CPUs; its GPUs (a program at it)
 *          BASE/stoker-NODE-JOB/supervisors/       the shims: a job that is at its limits does not stop
 * them BASE/stoker-NODE-JOB/tasks/             the job's memory and processes
 *          BASE/stoker-NODE-JOB/tasks/STEP.TASK.TRY/   a task, with its own memory limit where it has one
 *
 *     v1   the same names in the hierarchy of each controller: memory has a group for the job and below it
 *          one for each task, the others have one for the job. The shim, and so all it starts, is in those
 *          of CPUs and devices.
 *
 * NODE is short for the agent's directory: several agents may have the same group. JOB is a word that the
 * caller chooses; all that has the same word shares its limits.
 *
 * The kernel is the only record of which groups there are: nothing of this is lost with the agent.
 */
#ifndef STOKER_BACKEND_NODE_JOB_GROUPS_H
#define STOKER_BACKEND_NODE_JOB_GROUPS_H

#include <stdbool.h>
#include <stdint.h>

#include "backend/node/cgroup_trees.h"
#include "backend/node/device_rule.h"
#include "src/base/cpuset.h"
#include "src/base/str.h"

struct job_groups;

/* What a job has of this machine. */
struct job_bounds {
    uint64_t mem_mib;           /* 0: as much as it likes */
    struct cpuset cpus;         /* as this machine numbers them; empty: all */
    uint64_t processes;         /* threads included; 0: a quarter of what the machine can have */
    struct device_rule devices; /* those that are closed to it */
};

/* Where a task and its supervisor belong. */
struct task_groups {
    char *memory;          /* the group that keeps the task's memory; NULL: none */
    bool memory_is_v1;     /* what that is */
    char *task;            /* the v2 group of its processes; NULL: that of the supervisor */
    char *supervisor;      /* the v2 group of the supervisor; NULL: none */
    struct strv inherited; /* v1 groups that the supervisor enters, and all it starts with it */
    char *pids;            /* v1: the group that its processes enter; NULL: none */
};

/* agent_dir: names this agent's groups. Takes what trees holds. */
struct job_groups *job_groups_new(const char *agent_dir, struct cgroup_trees *trees);
void job_groups_free(struct job_groups *g);
/* From now on devices of job_bounds are closed. NULL, or why they cannot be. */
const char *job_groups_close_devices(struct job_groups *g, int *ret_version);

/* Makes the group of the job, if it is the first one of it, and that of the task. What cannot be had is
 * logged, and missing in ret. */
void job_groups_make(const struct job_groups *g, const char *job, const struct job_bounds *bounds,
                     const char *task, uint64_t task_mem_mib, struct task_groups *ret);
void task_groups_fini(struct task_groups *t);
bool task_groups_are_empty(const struct task_groups *t);

/* Memory that is charged to the task, without pages of files that the kernel drops when it needs room: what
 * counts against its limit. 0: no group keeps it. */
uint64_t job_groups_memory_kib(const struct job_groups *g, const char *job, const char *task);
/* SIGKILL to the processes of the task, or of all tasks of the job (NULL), not to supervisors. */
void job_groups_kill(const struct job_groups *g, const char *job, const char *task);
/* Removes the group of the task. */
void job_groups_remove_task(const struct job_groups *g, const char *job, const char *task);
/* Removes the groups of the job with those of all its tasks. False: the kernel keeps some of them, as
 * processes are left; to be tried again. Not while a task is being started: it would miss them. */
bool job_groups_remove(const struct job_groups *g, const char *job);
/* The jobs that have groups of this agent's. Caller frees with strv_fini. */
void job_groups_list(const struct job_groups *g, struct strv *ret_jobs);

#endif
