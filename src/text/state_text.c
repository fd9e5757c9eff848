#include "src/text/state_text.h"

#include "src/base/err.h"
#include "src/lang/lang.h"

const char *end_kind_text(enum end_kind k)
{
    static const char *const texts[END_N_KINDS] = {
        [END_NONE] = N_("none"),
        [END_EXITED] = N_("exited"),
        [END_SIGNALED] = N_("signaled"),
        [END_OOM] = N_("out of memory"),
        [END_TIMEOUT] = N_("time limit"),
        [END_KILLED] = N_("killed on request"),
        [END_LAUNCH_FAILED] = N_("could not be started"),
        [END_NODE_REBOOT] = N_("node rebooted"),
        [END_UNKNOWN] = N_("unknown: the end was not seen"),
        [END_NOT_RUN] = N_("not run"),
        [END_LEASE] = N_("its lease ran out"),
    };
    bug_on((unsigned)k >= END_N_KINDS);
    return tr(texts[k]);
}

const char *kill_cause_text(enum kill_cause c)
{
    static const char *const texts[KILL_N_CAUSES] = {
        [KILL_NONE] = "",
        [KILL_CANCEL] = N_("cancelled"),
        [KILL_TIMEOUT] = N_("time limit"),
        [KILL_PREEMPT] = N_("preemption"),
        [KILL_REQUEUE] = N_("requeue"),
        [KILL_NODE_FAIL] = N_("node failure"),
        [KILL_STEP_FAILED] = N_("an earlier task failed"),
        [KILL_JOB_ENDED] = N_("the job ended"),
        [KILL_OOM] = N_("out of memory"),
        [KILL_DEADLINE] = N_("deadline"),
        [KILL_OWNER_GONE] = N_("its terminal went away"),
        [KILL_DEPENDENCY] = N_("a dependency that can never be satisfied"),
    };
    bug_on((unsigned)c >= KILL_N_CAUSES);
    return tr(texts[c]);
}

const char *reason_text(enum reason r)
{
    static const char *const texts[REASON_N] = {
        [REASON_NONE] = N_("not looked at yet"),
        [REASON_PRIORITY] = N_("other jobs are ahead"),
        [REASON_RESOURCES] = N_("next in line, nothing fits yet"),
        [REASON_DEPENDENCY] = N_("a dependency is open"),
        [REASON_DEPENDENCY_NEVER] = N_("a dependency cannot be met: will never start"),
        [REASON_BEGIN_TIME] = N_("not before its begin time"),
        [REASON_HELD_USER] = N_("held by its owner"),
        [REASON_HELD_ADMIN] = N_("held by an administrator"),
        [REASON_HELD_REQUEUE] = N_("requeued too often, now held"),
        [REASON_ARRAY_LIMIT] = N_("array limit reached"),
        [REASON_PART_DOWN] = N_("its partition is down"),
        [REASON_PART_INACTIVE] = N_("its partition is inactive"),
        [REASON_PART_NODES] = N_("more nodes than its partition allows"),
        [REASON_PART_TIME] = N_("a longer time limit than its partition allows"),
        [REASON_PART_CONFIG] = N_("its partition's rules do not admit it"),
        [REASON_BAD_CONSTRAINTS] = N_("no node can ever satisfy it"),
        [REASON_NODE_NOT_AVAIL] = N_("nodes it needs are down, drained or reserved"),
        [REASON_LICENSES] = N_("waits for a licence"),
        [REASON_RESERVATION] = N_("its reservation has not started"),
        [REASON_CLEANING] = N_("requeued, its old run is still being cleaned up"),
        [REASON_LAUNCH_FAILURE] = N_("it could not be started"),
        [REASON_NON_ZERO_EXIT] = N_("it exited with a non-zero code"),
        [REASON_RAISED_SIGNAL] = N_("a signal ended it"),
        [REASON_TIME_LIMIT] = N_("it reached its time limit"),
        [REASON_OUT_OF_MEMORY] = N_("it used more memory than it asked for"),
        [REASON_SYSTEM_FAILURE] = N_("its supervision was lost"),
        [REASON_NODE_DOWN] = N_("its node failed"),
        [REASON_DEADLINE] = N_("it could not end before its deadline"),
        [REASON_USER_LIMIT] = N_("user limit reached"),
        [REASON_GROUP_LIMIT] = N_("account limit reached"),
        [REASON_USER_GPUS] = N_("user limit reached: GPUs"),
        [REASON_USER_CPUS] = N_("user limit reached: CPUs"),
        [REASON_USER_MEMORY] = N_("user limit reached: memory"),
        [REASON_USER_NODES] = N_("user limit reached: nodes"),
        [REASON_USER_SUBMITTED] = N_("user limit reached: jobs in the queue"),
        [REASON_USER_GPU_MINUTES] = N_("user limit reached: GPU minutes"),
        [REASON_GROUP_GPUS] = N_("account or cluster limit reached: GPUs"),
        [REASON_GROUP_CPUS] = N_("account or cluster limit reached: CPUs"),
        [REASON_GROUP_MEMORY] = N_("account or cluster limit reached: memory"),
        [REASON_GROUP_NODES] = N_("account or cluster limit reached: nodes"),
        [REASON_GROUP_SUBMITTED] = N_("account limit reached: jobs in the queue"),
        [REASON_GROUP_GPU_MINUTES] = N_("account limit reached: GPU minutes"),
        [REASON_QOS_JOBS] = N_("QOS or partition limit reached: running jobs"),
        [REASON_QOS_GPUS] = N_("QOS or partition limit reached: GPUs"),
        [REASON_QOS_CPUS] = N_("QOS or partition limit reached: CPUs"),
        [REASON_QOS_MEMORY] = N_("QOS or partition limit reached: memory"),
        [REASON_QOS_NODES] = N_("QOS or partition limit reached: nodes"),
        [REASON_QOS_SUBMITTED] = N_("QOS or partition limit reached: jobs in the queue"),
        [REASON_QOS_GPU_MINUTES] = N_("QOS or partition limit reached: GPU minutes"),
        [REASON_RESERVATION_GONE] = N_("its reservation was removed or is over"),
        [REASON_MAINTENANCE] = N_("its nodes are reserved for maintenance"),
    };
    bug_on((unsigned)r >= REASON_N);
    return tr(texts[r]);
}

const char *dep_type_text(enum dep_type t)
{
    static const char *const texts[DEP_N_TYPES] = {
        [DEP_TYPE_AFTER] = N_("to start"),
        [DEP_TYPE_ANY] = N_("to end"),
        [DEP_TYPE_OK] = N_("to succeed"),
        [DEP_TYPE_NOT_OK] = N_("to fail"),
        [DEP_TYPE_CORR] = N_("to succeed, element by element"),
        [DEP_TYPE_SINGLETON] = N_("to end"),
    };
    bug_on((unsigned)t >= DEP_N_TYPES);
    return tr(texts[t]);
}

const char *job_state_word(enum job_state s)
{
    static const char *const words[JOB_N_STATES] = {[JOB_PENDING] = N_("waiting"),
                                                    [JOB_RUNNING] = N_("running"),
                                                    [JOB_SUSPENDED] = N_("suspended"),
                                                    [JOB_COMPLETING] = N_("completing"),
                                                    [JOB_COMPLETED] = N_("done"),
                                                    [JOB_CANCELLED] = N_("cancelled"),
                                                    [JOB_FAILED] = N_("failed"),
                                                    [JOB_TIMEOUT] = N_("timeout"),
                                                    [JOB_NODE_FAIL] = N_("node fail"),
                                                    [JOB_PREEMPTED] = N_("preempted"),
                                                    [JOB_OUT_OF_MEMORY] = N_("out of memory"),
                                                    [JOB_DEADLINE] = N_("deadline")};
    return (unsigned)s < JOB_N_STATES ? tr(words[s]) : "?";
}

const char *task_state_word(enum task_state s)
{
    switch (s) {
    case TASK_WAITING: return trc("a task", "waiting");
    case TASK_LAUNCHING: return trc("a task", "launching");
    case TASK_RUNNING: return trc("a task", "running");
    case TASK_DONE: return trc("a task", "done");
    case TASK_N_STATES: break;
    }
    return "?";
}

const char *node_state_word(enum node_state s)
{
    switch (s) {
    case NODE_UNKNOWN: return trc("a node", "unknown");
    case NODE_UP: return trc("a node", "up");
    case NODE_SUSPECT: return trc("a node", "suspect");
    case NODE_LOST: return trc("a node", "lost");
    case NODE_DOWN: return trc("a node", "down");
    case NODE_N_STATES: break;
    }
    return "?";
}

const char *part_state_word(enum part_state s)
{
    switch (s) {
    case PART_UP: return trc("of a partition", "up");
    case PART_DOWN: return trc("of a partition", "down");
    case PART_DRAIN: return trc("of a partition", "drain");
    case PART_INACTIVE: return trc("of a partition", "inactive");
    }
    return "?";
}
