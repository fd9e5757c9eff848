/* state.h - the state machines' words: one table each, from which the enums, the names and the parsers
 * come. */
#ifndef STOKER_MODEL_STATE_H
#define STOKER_MODEL_STATE_H

#include <stdbool.h>
#include <stdint.h>

/*  X(enum member, Slurm's short form, Slurm's long form, final)
 *
 *    PENDING --start--> RUNNING --last step ends / kill--> COMPLETING --last task ends--> a final state
 *       ^                                                       |
 *       +------------------------- requeue ---------------------+
 */
#define JOB_STATES(X)                                                                                        \
    X(PENDING, "PD", "PENDING", false)                                                                       \
    X(RUNNING, "R", "RUNNING", false)                                                                        \
    X(SUSPENDED, "S", "SUSPENDED", false)                                                                    \
    X(COMPLETING, "CG", "COMPLETING", false)                                                                 \
    X(COMPLETED, "CD", "COMPLETED", true)                                                                    \
    X(CANCELLED, "CA", "CANCELLED", true)                                                                    \
    X(FAILED, "F", "FAILED", true)                                                                           \
    X(TIMEOUT, "TO", "TIMEOUT", true)                                                                        \
    X(NODE_FAIL, "NF", "NODE_FAIL", true)                                                                    \
    X(PREEMPTED, "PR", "PREEMPTED", true)                                                                    \
    X(OUT_OF_MEMORY, "OOM", "OUT_OF_MEMORY", true)                                                           \
    X(DEADLINE, "DL", "DEADLINE", true)

enum job_state {
#define X(name, shrt, lng, final) JOB_##name,
    JOB_STATES(X)
#undef X
        JOB_N_STATES
};

/* X(enum member, text): a task of a step. LAUNCHING is committed and may or may not have reached the node.
 *
 *    WAITING --place--> LAUNCHING --started--> RUNNING --end--> DONE
 *                           +-------- end (launch failed) -------^
 */
#define TASK_STATES(X) X(WAITING, "waiting") X(LAUNCHING, "launching") X(RUNNING, "running") X(DONE, "done")

enum task_state {
#define X(name, text) TASK_##name,
    TASK_STATES(X)
#undef X
        TASK_N_STATES
};

/* X(enum member): how an attempt ended. UNKNOWN is an end that was not seen: never a success. */
#define END_KINDS(X) \
    X(NONE) X(EXITED) X(SIGNALED) X(OOM) X(TIMEOUT) X(KILLED) X(LAUNCH_FAILED) X(NODE_REBOOT) \
    X(UNKNOWN) X(NOT_RUN) X(LEASE)

enum end_kind {
#define X(name) END_##name,
    END_KINDS(X)
#undef X
        END_N_KINDS
};

/* X(enum member): why a job or a step is being ended from outside. */
#define KILL_CAUSES(X) \
    X(NONE) X(CANCEL) X(TIMEOUT) X(PREEMPT) X(REQUEUE) X(NODE_FAIL) X(STEP_FAILED) X(JOB_ENDED) \
    X(OOM) X(DEADLINE) X(OWNER_GONE) X(DEPENDENCY)

enum kill_cause {
#define X(name) KILL_##name,
    KILL_CAUSES(X)
#undef X
        KILL_N_CAUSES
};

/* X(enum member, word): what becomes of a job whose node is lost. LEASE: its node ends what it runs when no
 * controller has been heard for the lease time, and the job is queued again once that must be over. */
#define LOST_NODES(X) \
    X(NOT_SAID, "") X(HOLD, "hold") X(REQUEUE, "requeue") X(CANCEL, "cancel") X(LEASE, "lease")

enum lost_node {
#define X(name, text) LOST_##name,
    LOST_NODES(X)
#undef X
        LOST_N
};

/* What becomes of a job when its last task has ended. */
enum job_fate { FATE_END, FATE_REQUEUE, FATE_REQUEUE_HOLD };

enum job_kind { JOB_KIND_BATCH, JOB_KIND_STEPS, JOB_KIND_INTERACTIVE };
enum job_hold { HOLD_NONE, HOLD_USER, HOLD_ADMIN };

/* X(enum member, text): state of a node as the controller sees it. */
#define NODE_STATES(X)                                                                                       \
    X(UNKNOWN, "unknown") X(UP, "up") X(SUSPECT, "suspect") X(LOST, "lost") X(DOWN, "down")

enum node_state {
#define X(name, text) NODE_##name,
    NODE_STATES(X)
#undef X
        NODE_N_STATES
};

/* X(enum member, Slurm's name): the reason of a waiting or ended job, as squeue's %r has it. */
#define REASONS(X) \
    X(NONE, "None") \
    X(PRIORITY, "Priority") \
    X(RESOURCES, "Resources") \
    X(DEPENDENCY, "Dependency") \
    X(DEPENDENCY_NEVER, "DependencyNeverSatisfied") \
    X(BEGIN_TIME, "BeginTime") \
    X(HELD_USER, "JobHeldUser") \
    X(HELD_ADMIN, "JobHeldAdmin") \
    X(HELD_REQUEUE, "JobHoldMaxRequeue") \
    X(ARRAY_LIMIT, "JobArrayTaskLimit") \
    X(PART_DOWN, "PartitionDown") \
    X(PART_INACTIVE, "PartitionInactive") \
    X(PART_NODES, "PartitionNodeLimit") \
    X(PART_TIME, "PartitionTimeLimit") \
    X(PART_CONFIG, "PartitionConfig") \
    X(BAD_CONSTRAINTS, "BadConstraints") \
    X(NODE_NOT_AVAIL, "ReqNodeNotAvail") \
    X(LICENSES, "Licenses") \
    X(RESERVATION, "Reservation") \
    X(CLEANING, "Cleaning") \
    X(LAUNCH_FAILURE, "JobLaunchFailure") \
    X(NON_ZERO_EXIT, "NonZeroExitCode") \
    X(RAISED_SIGNAL, "RaisedSignal") \
    X(TIME_LIMIT, "TimeLimit") \
    X(OUT_OF_MEMORY, "OutOfMemory") \
    X(SYSTEM_FAILURE, "SystemFailure") \
    X(NODE_DOWN, "NodeDown") \
    X(DEADLINE, "DeadLine") \
    X(USER_LIMIT, "QOSMaxJobsPerUserLimit") \
    X(GROUP_LIMIT, "AssocGrpJobsLimit") \
    X(USER_GPUS, "QOSMaxGRESPerUser") \
    X(USER_CPUS, "QOSMaxCpuPerUserLimit") \
    X(USER_MEMORY, "QOSMaxMemoryPerUser") \
    X(USER_NODES, "QOSMaxNodePerUserLimit") \
    X(USER_SUBMITTED, "QOSMaxSubmitJobPerUserLimit") \
    X(USER_GPU_MINUTES, "QOSMaxGRESMinutesPerJob") \
    X(GROUP_GPUS, "AssocGrpGRES") \
    X(GROUP_CPUS, "AssocGrpCpuLimit") \
    X(GROUP_MEMORY, "AssocGrpMemLimit") \
    X(GROUP_NODES, "AssocGrpNodeLimit") \
    X(GROUP_SUBMITTED, "AssocGrpSubmitJobsLimit") \
    X(GROUP_GPU_MINUTES, "AssocGrpGRESMinutes") \
    X(QOS_JOBS, "QOSGrpJobsLimit") \
    X(QOS_GPUS, "QOSGrpGRES") \
    X(QOS_CPUS, "QOSGrpCpuLimit") \
    X(QOS_MEMORY, "QOSGrpMemLimit") \
    X(QOS_NODES, "QOSGrpNodeLimit") \
    X(QOS_SUBMITTED, "QOSGrpSubmitJobsLimit") \
    X(QOS_GPU_MINUTES, "QOSGrpGRESMinutes") \
    X(RESERVATION_GONE, "ReservationDeleted") \
    X(MAINTENANCE, "ReqNodeNotAvail, Reserved for maintenance")

enum reason {
#define X(name, slurm) REASON_##name,
    REASONS(X)
#undef X
        REASON_N
};

const char *job_state_short(enum job_state s);
const char *job_state_long(enum job_state s);
bool job_state_is_final(enum job_state s);
/* Either form, any case. Returns false where text names no state. */
bool job_state_parse(const char *text, enum job_state *ret);
const char *task_state_text(enum task_state s);
const char *lost_node_text(enum lost_node l); /* "" where nothing is said */
bool lost_node_parse(const char *text, enum lost_node *ret);
const char *node_state_text(enum node_state s);
const char *reason_slurm(enum reason r);

#endif
