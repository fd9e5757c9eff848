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

/* X(enum member, text): how an attempt ended. UNKNOWN is an end that was not seen: never a success. */
#define END_KINDS(X)                                                                                         \
    X(NONE, "none")                                                                                          \
    X(EXITED, "exited")                                                                                      \
    X(SIGNALED, "signaled")                                                                                  \
    X(OOM, "out of memory")                                                                                  \
    X(TIMEOUT, "time limit")                                                                                 \
    X(KILLED, "killed on request")                                                                           \
    X(LAUNCH_FAILED, "could not be started")                                                                 \
    X(NODE_REBOOT, "node rebooted")                                                                          \
    X(UNKNOWN, "unknown: the end was not seen")                                                                \
    X(NOT_RUN, "not run")                                                                                    \
    X(LEASE, "its lease ran out")

enum end_kind {
#define X(name, text) END_##name,
    END_KINDS(X)
#undef X
        END_N_KINDS
};

/* X(enum member, text): why a job or a step is being ended from outside. */
#define KILL_CAUSES(X)                                                                                       \
    X(NONE, "")                                                                                              \
    X(CANCEL, "cancelled")                                                                                   \
    X(TIMEOUT, "time limit")                                                                                 \
    X(PREEMPT, "preemption")                                                                                 \
    X(REQUEUE, "requeue")                                                                                    \
    X(NODE_FAIL, "node failure")                                                                             \
    X(STEP_FAILED, "an earlier task failed")                                                                 \
    X(JOB_ENDED, "the job ended")                                                                            \
    X(OOM, "out of memory")                                                                                  \
    X(DEADLINE, "deadline")                                                                                  \
    X(OWNER_GONE, "its terminal went away")                                                                  \
    X(DEPENDENCY, "a dependency that can never be satisfied")

enum kill_cause {
#define X(name, text) KILL_##name,
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

/* X(enum member, Slurm's name, what it means): the reason of a waiting or ended job, as squeue's %r has
 * it. */
#define REASONS(X)                                                                                           \
    X(NONE, "None", "not looked at yet")                                                                     \
    X(PRIORITY, "Priority", "other jobs are ahead")                                                         \
    X(RESOURCES, "Resources", "next in line, nothing fits yet")                                              \
    X(DEPENDENCY, "Dependency", "a dependency is open")                                                      \
    X(DEPENDENCY_NEVER, "DependencyNeverSatisfied", "a dependency cannot be met: will never start")                    \
    X(BEGIN_TIME, "BeginTime", "not before its begin time")                                        \
    X(HELD_USER, "JobHeldUser", "held by its owner")                                                         \
    X(HELD_ADMIN, "JobHeldAdmin", "held by an administrator")                                                \
    X(HELD_REQUEUE, "JobHoldMaxRequeue", "requeued too often, now held")                                     \
    X(ARRAY_LIMIT, "JobArrayTaskLimit", "array limit reached")                     \
    X(PART_DOWN, "PartitionDown", "its partition is down")                                                   \
    X(PART_INACTIVE, "PartitionInactive", "its partition is inactive")                                       \
    X(PART_NODES, "PartitionNodeLimit", "more nodes than its partition allows")                              \
    X(PART_TIME, "PartitionTimeLimit", "a longer time limit than its partition allows")                      \
    X(PART_CONFIG, "PartitionConfig", "its partition's rules do not admit it")                               \
    X(BAD_CONSTRAINTS, "BadConstraints", "no node can ever satisfy it")                                      \
    X(NODE_NOT_AVAIL, "ReqNodeNotAvail", "nodes it needs are down, drained or reserved")                     \
    X(LICENSES, "Licenses", "waits for a licence")                                                           \
    X(RESERVATION, "Reservation", "its reservation has not started")                                         \
    X(CLEANING, "Cleaning", "requeued, its old run is still being cleaned up")                               \
    X(LAUNCH_FAILURE, "JobLaunchFailure", "it could not be started")                                         \
    X(NON_ZERO_EXIT, "NonZeroExitCode", "it exited with a non-zero code")                                    \
    X(RAISED_SIGNAL, "RaisedSignal", "a signal ended it")                                                    \
    X(TIME_LIMIT, "TimeLimit", "it reached its time limit")                                                  \
    X(OUT_OF_MEMORY, "OutOfMemory", "it used more memory than it asked for")                                 \
    X(SYSTEM_FAILURE, "SystemFailure", "its supervision was lost")                                           \
    X(NODE_DOWN, "NodeDown", "its node failed")                                                              \
    X(DEADLINE, "DeadLine", "it could not end before its deadline")                                          \
    X(USER_LIMIT, "QOSMaxJobsPerUserLimit", "user limit reached")                                \
    X(GROUP_LIMIT, "AssocGrpJobsLimit", "account limit reached")                                 \
    X(USER_GPUS, "QOSMaxGRESPerUser", "user limit reached: GPUs")                              \
    X(USER_CPUS, "QOSMaxCpuPerUserLimit", "user limit reached: CPUs")                          \
    X(USER_MEMORY, "QOSMaxMemoryPerUser", "user limit reached: memory")                        \
    X(USER_NODES, "QOSMaxNodePerUserLimit", "user limit reached: nodes")                       \
    X(USER_SUBMITTED, "QOSMaxSubmitJobPerUserLimit", "user limit reached: jobs in the queue")    \
    X(USER_GPU_MINUTES, "QOSMaxGRESMinutesPerJob", "user limit reached: GPU minutes")              \
    X(GROUP_GPUS, "AssocGrpGRES", "account or cluster limit reached: GPUs")                \
    X(GROUP_CPUS, "AssocGrpCpuLimit", "account or cluster limit reached: CPUs")            \
    X(GROUP_MEMORY, "AssocGrpMemLimit", "account or cluster limit reached: memory")        \
    X(GROUP_NODES, "AssocGrpNodeLimit", "account or cluster limit reached: nodes")         \
    X(GROUP_SUBMITTED, "AssocGrpSubmitJobsLimit", "account limit reached: jobs in the queue")    \
    X(GROUP_GPU_MINUTES, "AssocGrpGRESMinutes", "account limit reached: GPU minutes")              \
    X(QOS_JOBS, "QOSGrpJobsLimit", "QOS or partition limit reached: running jobs")                      \
    X(QOS_GPUS, "QOSGrpGRES", "QOS or partition limit reached: GPUs")                          \
    X(QOS_CPUS, "QOSGrpCpuLimit", "QOS or partition limit reached: CPUs")                      \
    X(QOS_MEMORY, "QOSGrpMemLimit", "QOS or partition limit reached: memory")                  \
    X(QOS_NODES, "QOSGrpNodeLimit", "QOS or partition limit reached: nodes")                   \
    X(QOS_SUBMITTED, "QOSGrpSubmitJobsLimit", "QOS or partition limit reached: jobs in the queue") \
    X(QOS_GPU_MINUTES, "QOSGrpGRESMinutes", "QOS or partition limit reached: GPU minutes")         \
    X(RESERVATION_GONE, "ReservationDeleted", "its reservation was removed or is over")                      \
    X(MAINTENANCE, "ReqNodeNotAvail, Reserved for maintenance", "its nodes are reserved for maintenance")

enum reason {
#define X(name, slurm, text) REASON_##name,
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
const char *end_kind_text(enum end_kind k);
const char *kill_cause_text(enum kill_cause c);
const char *lost_node_text(enum lost_node l); /* "" where nothing is said */
bool lost_node_parse(const char *text, enum lost_node *ret);
const char *node_state_text(enum node_state s);
const char *reason_slurm(enum reason r);
const char *reason_text(enum reason r);

#endif
