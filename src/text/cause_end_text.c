#include "src/lang/lang.h"
#include "src/text/cause_sentence.h"

/* By which rule a job was preempted: in brief after "preempted by job 328 of ann", which names the job. Why
 * jobs and tasks were ended: each is the subject of the sentence. */
const struct cause_sentence cause_end_sentences[CAUSE_N_CODES] = {
    [CAUSE_PREEMPT_TIER] =
        {.full = N_("job {n} in partition {part} (tier {most}) comes before partition {name} (tier {of})"),
         .brief = N_("partition {part} (tier {most}) comes before partition {name} (tier {of})")},
    [CAUSE_PREEMPT_QOS] = {.full = N_("job {n} has QOS {name}, which may preempt QOS {rule}"),
                           .brief = N_("its QOS {name} may preempt QOS {rule}")},
    [CAUSE_PREEMPT_BORROWED] = {.full =
                                    N_("job {n} is within its limits and needs what this job had borrowed"),
                                .brief =
                                    N_("it is within its limits and needs what this job had borrowed")},
    [CAUSE_PREEMPTED_JOBS] = {.full = N_("preempted {parts}")},
    [CAUSE_PREEMPTED_JOB] = {.full = N_("job {n}[ of {user}][ ({parts})]")},
    [CAUSE_JOB_NODE_LOST] = {.full = N_("its node {name} was lost")},
    [CAUSE_JOB_NODE_REFUSED] = {.full = N_("node {name} could not start it[: {text}]")},
    [CAUSE_JOB_LATE_FOR_DEADLINE] = {.full = N_("it could no longer end before its deadline")},
    [CAUSE_TASK_NODE_LOST] = {.full = N_("its node was lost")},
    [CAUSE_TASK_NODE_LOST_LEASE] = {.full = N_("its node was lost, and its lease is over")},
    [CAUSE_TASK_NODE_REBOOTED] = {.full = N_("its node rebooted")},
    [CAUSE_TASK_NODE_FORGOT] = {.full = N_("its node does not know it")},
    [CAUSE_TASK_RANKS_TOO_MANY] = {.full = N_("it has more processes than a node starts at once")},
    [CAUSE_TASK_NO_SCRIPT] = {.full = N_("its script or command is no longer in the store")},
    [CAUSE_TASK_LAUNCH_TOO_BIG] =
        {.full = N_("its command, environment and output names are over {most:size} in all")},
    [CAUSE_TASK_NOT_STARTED] = {.full = N_("ended before it was started")},
};
