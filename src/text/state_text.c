#include "src/text/state_text.h"

#include "src/base/err.h"

const char *end_kind_text(enum end_kind k)
{
    static const char *const texts[END_N_KINDS] = {
        [END_NONE] = "none",
        [END_EXITED] = "exited",
        [END_SIGNALED] = "signaled",
        [END_OOM] = "out of memory",
        [END_TIMEOUT] = "time limit",
        [END_KILLED] = "killed on request",
        [END_LAUNCH_FAILED] = "could not be started",
        [END_NODE_REBOOT] = "node rebooted",
        [END_UNKNOWN] = "unknown: the end was not seen",
        [END_NOT_RUN] = "not run",
        [END_LEASE] = "its lease ran out",
    };
    bug_on((unsigned)k >= END_N_KINDS);
    return texts[k];
}

const char *kill_cause_text(enum kill_cause c)
{
    static const char *const texts[KILL_N_CAUSES] = {
        [KILL_NONE] = "",
        [KILL_CANCEL] = "cancelled",
        [KILL_TIMEOUT] = "time limit",
        [KILL_PREEMPT] = "preemption",
        [KILL_REQUEUE] = "requeue",
        [KILL_NODE_FAIL] = "node failure",
        [KILL_STEP_FAILED] = "an earlier task failed",
        [KILL_JOB_ENDED] = "the job ended",
        [KILL_OOM] = "out of memory",
        [KILL_DEADLINE] = "deadline",
        [KILL_OWNER_GONE] = "its terminal went away",
        [KILL_DEPENDENCY] = "a dependency that can never be satisfied",
    };
    bug_on((unsigned)c >= KILL_N_CAUSES);
    return texts[c];
}

const char *reason_text(enum reason r)
{
    static const char *const texts[REASON_N] = {
        [REASON_NONE] = "not looked at yet",
        [REASON_PRIORITY] = "other jobs are ahead",
        [REASON_RESOURCES] = "next in line, nothing fits yet",
        [REASON_DEPENDENCY] = "a dependency is open",
        [REASON_DEPENDENCY_NEVER] = "a dependency cannot be met: will never start",
        [REASON_BEGIN_TIME] = "not before its begin time",
        [REASON_HELD_USER] = "held by its owner",
        [REASON_HELD_ADMIN] = "held by an administrator",
        [REASON_HELD_REQUEUE] = "requeued too often, now held",
        [REASON_ARRAY_LIMIT] = "array limit reached",
        [REASON_PART_DOWN] = "its partition is down",
        [REASON_PART_INACTIVE] = "its partition is inactive",
        [REASON_PART_NODES] = "more nodes than its partition allows",
        [REASON_PART_TIME] = "a longer time limit than its partition allows",
        [REASON_PART_CONFIG] = "its partition's rules do not admit it",
        [REASON_BAD_CONSTRAINTS] = "no node can ever satisfy it",
        [REASON_NODE_NOT_AVAIL] = "nodes it needs are down, drained or reserved",
        [REASON_LICENSES] = "waits for a licence",
        [REASON_RESERVATION] = "its reservation has not started",
        [REASON_CLEANING] = "requeued, its old run is still being cleaned up",
        [REASON_LAUNCH_FAILURE] = "it could not be started",
        [REASON_NON_ZERO_EXIT] = "it exited with a non-zero code",
        [REASON_RAISED_SIGNAL] = "a signal ended it",
        [REASON_TIME_LIMIT] = "it reached its time limit",
        [REASON_OUT_OF_MEMORY] = "it used more memory than it asked for",
        [REASON_SYSTEM_FAILURE] = "its supervision was lost",
        [REASON_NODE_DOWN] = "its node failed",
        [REASON_DEADLINE] = "it could not end before its deadline",
        [REASON_USER_LIMIT] = "user limit reached",
        [REASON_GROUP_LIMIT] = "account limit reached",
        [REASON_USER_GPUS] = "user limit reached: GPUs",
        [REASON_USER_CPUS] = "user limit reached: CPUs",
        [REASON_USER_MEMORY] = "user limit reached: memory",
        [REASON_USER_NODES] = "user limit reached: nodes",
        [REASON_USER_SUBMITTED] = "user limit reached: jobs in the queue",
        [REASON_USER_GPU_MINUTES] = "user limit reached: GPU minutes",
        [REASON_GROUP_GPUS] = "account or cluster limit reached: GPUs",
        [REASON_GROUP_CPUS] = "account or cluster limit reached: CPUs",
        [REASON_GROUP_MEMORY] = "account or cluster limit reached: memory",
        [REASON_GROUP_NODES] = "account or cluster limit reached: nodes",
        [REASON_GROUP_SUBMITTED] = "account limit reached: jobs in the queue",
        [REASON_GROUP_GPU_MINUTES] = "account limit reached: GPU minutes",
        [REASON_QOS_JOBS] = "QOS or partition limit reached: running jobs",
        [REASON_QOS_GPUS] = "QOS or partition limit reached: GPUs",
        [REASON_QOS_CPUS] = "QOS or partition limit reached: CPUs",
        [REASON_QOS_MEMORY] = "QOS or partition limit reached: memory",
        [REASON_QOS_NODES] = "QOS or partition limit reached: nodes",
        [REASON_QOS_SUBMITTED] = "QOS or partition limit reached: jobs in the queue",
        [REASON_QOS_GPU_MINUTES] = "QOS or partition limit reached: GPU minutes",
        [REASON_RESERVATION_GONE] = "its reservation was removed or is over",
        [REASON_MAINTENANCE] = "its nodes are reserved for maintenance",
    };
    bug_on((unsigned)r >= REASON_N);
    return texts[r];
}

const char *dep_type_text(enum dep_type t)
{
    static const char *const texts[DEP_N_TYPES] = {
        [DEP_TYPE_AFTER] = "to start",
        [DEP_TYPE_ANY] = "to end",
        [DEP_TYPE_OK] = "to succeed",
        [DEP_TYPE_NOT_OK] = "to fail",
        [DEP_TYPE_CORR] = "to succeed, element by element",
        [DEP_TYPE_SINGLETON] = "to end",
    };
    bug_on((unsigned)t >= DEP_N_TYPES);
    return texts[t];
}

const char *job_state_word(enum job_state s)
{
    static const char *const words[JOB_N_STATES] = {[JOB_PENDING] = "waiting",
                                                    [JOB_RUNNING] = "running",
                                                    [JOB_SUSPENDED] = "suspended",
                                                    [JOB_COMPLETING] = "completing",
                                                    [JOB_COMPLETED] = "done",
                                                    [JOB_CANCELLED] = "cancelled",
                                                    [JOB_FAILED] = "failed",
                                                    [JOB_TIMEOUT] = "timeout",
                                                    [JOB_NODE_FAIL] = "node fail",
                                                    [JOB_PREEMPTED] = "preempted",
                                                    [JOB_OUT_OF_MEMORY] = "out of memory",
                                                    [JOB_DEADLINE] = "deadline"};
    return (unsigned)s < JOB_N_STATES ? words[s] : "?";
}
