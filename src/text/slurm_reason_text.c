#include "src/text/slurm_reason_text.h"

#include "src/answers/slurm_reason.h"
#include "src/lang/lang.h"

/* --- limits --- */

/* In the form that a language has for it in "a limit of ...", "minutes of ...", "more of ...". */
static const char *slurm_thing_noun(enum slurm_thing thing)
{
    switch (thing) {
    case SLURM_THING_CPUS: return trc("a limit of", "CPUs");
    case SLURM_THING_MEMORY: return trc("a limit of", "memory");
    case SLURM_THING_NODES: return trc("a limit of", "nodes");
    case SLURM_THING_GRES: return trc("a limit of", "GPUs and other generic resources");
    case SLURM_THING_BURST_BUFFER: return trc("a limit of", "burst buffers");
    case SLURM_THING_BILLING: return trc("a limit of", "billing units");
    case SLURM_THING_ENERGY: return trc("a limit of", "energy");
    case SLURM_THING_LICENSES: return trc("a limit of", "licenses");
    case SLURM_THING_JOBS: return trc("a limit of", "running jobs");
    case SLURM_THING_SUBMITTED: return trc("a limit of", "jobs in the queue");
    case SLURM_THING_WALL: return trc("a limit of", "run time");
    case SLURM_THING_UNKNOWN:
    case SLURM_N_THINGS: break;
    }
    return trc("a limit of", "resources that Slurm does not name");
}

/* Each with the noun as its argument. */
static const char *slurm_limit_over_time(const struct slurm_limit *l)
{
    bool qos = l->holder == SLURM_OF_QOS;
    if (l->bound == SLURM_EACH_JOB)
        return qos ? N_("by its time limit it asks for more minutes of %s than its QOS allows a job")
                   : N_("by its time limit it asks for more minutes of %s than its account allows a job");
    if (l->count == SLURM_RUN_MINUTES)
        return qos ? N_("what runs in its QOS has promised all minutes of %s that the QOS may hold")
                   : N_("what runs for its account has promised all minutes of %s that the account may "
                        "hold");
    return qos ? N_("its QOS has used up its minutes of %s")
               : N_("its account has used up its minutes of %s");
}

static const char *slurm_limit_sentence(const struct slurm_limit *l)
{
    bool qos = l->holder == SLURM_OF_QOS;
    if (l->least)
        return N_("it asks for less than its QOS demands of a job: %s");
    if (l->count != SLURM_AT_ONCE)
        return slurm_limit_over_time(l);
    switch (l->bound) {
    case SLURM_ALL_JOBS:
        return qos ? N_("its QOS is at its limit of %s") : N_("its account is at its limit of %s");
    case SLURM_EACH_USER:
        return qos ? N_("its user is at the limit of %s in its QOS")
                   : N_("its user is at the limit of %s in its account");
    case SLURM_EACH_ACCOUNT: return N_("its account is at the limit of %s in its QOS");
    case SLURM_EACH_JOB:
        return qos ? N_("it asks for more than its QOS allows a job: %s")
                   : N_("it asks for more than its account allows a job: %s");
    case SLURM_EACH_NODE:
        return qos ? N_("it asks for more than its QOS allows on one node: %s")
                   : N_("it asks for more than its account allows on one node: %s");
    }
    return N_("a limit is reached: %s");
}

/* --- the others --- */

struct slurm_word {
    const char *word, *text;
};

static const struct slurm_word slurm_words[] = {
    {"None", N_("Slurm has not looked at it yet")},
    {"Priority", N_("jobs with a higher priority are ahead of it")},
    {"Resources", N_("it is its turn, and what it asks for is not free")},
    {"Dependency", N_("it waits for another job")},
    {"DependencyNeverSatisfied", N_("what it waits for can no longer happen")},
    {"BeginTime", N_("its earliest start is not reached")},
    {"JobHeldUser", N_("its user holds it")},
    {"JobHeldAdmin", N_("an administrator holds it")},
    {"JobHoldMaxRequeue", N_("it was queued again too often, and is held")},
    {"JobArrayTaskLimit", N_("as many elements of its array run as may run at once")},
    {"PartitionNodeLimit", N_("it asks for more nodes than its partition allows, or for fewer")},
    {"PartitionTimeLimit", N_("its time limit is longer than its partition allows")},
    {"PartitionDown", N_("its partition is down")},
    {"PartitionInactive", N_("its partition is inactive")},
    {"PartitionConfig", N_("the rules of its partition do not admit it")},
    {"Licenses", N_("licenses that it asks for are in use")},
    {"Reservation", N_("its reservation has not begun, or is in use")},
    {"ReservationDeleted", N_("its reservation is no longer there")},
    {"ReqNodeNotAvail", N_("nodes that it needs are not to be had: down, drained or reserved")},
    {"BadConstraints", N_("no node can ever meet what it asks for")},
    {"FrontEndDown", N_("no front-end node is up")},
    {"SchedDefer", N_("Slurm starts jobs in its main cycles only, so that it has less to do")},
    {"NodeDown", N_("a node that it needs is down")},
    {"SystemFailure", N_("Slurm, a node or the network has failed")},
    {"JobLaunchFailure", N_("it could not be started")},
    {"NonZeroExitCode", N_("it ended with an exit code other than 0")},
    {"RaisedSignal", N_("a signal ended it")},
    {"TimeLimit", N_("it reached its time limit")},
    {"InactiveLimit", N_("it was idle for too long")},
    {"InvalidAccount", N_("its account is no longer valid")},
    {"InvalidQOS", N_("its QOS is no longer valid")},
    {"AccountNotAllowed", N_("its partition does not admit its account")},
    {"QOSNotAllowed", N_("its partition or its account does not admit its QOS")},
    {"QOSUsageThreshold", N_("its account has used more than its QOS tolerates")},
    {"QOSJobLimit", N_("its QOS is at its limit of jobs")},
    {"QOSResourceLimit", N_("its QOS is at a limit of resources")},
    {"QOSTimeLimit", N_("its QOS is at its limit of time")},
    {"AssociationJobLimit", N_("its account is at its limit of jobs")},
    {"AssociationResourceLimit", N_("its account is at a limit of resources")},
    {"AssociationTimeLimit", N_("its account is at its limit of time")},
    {"AccountingPolicy", N_("a rule of its account keeps it back")},
    {"MaxMemPerLimit", N_("it asks for more memory than a node or a CPU may give")},
    {"Cleaning", N_("its last run is still being cleaned up")},
    {"Prolog", N_("the preparation of its nodes runs")},
    {"OutOfMemory", N_("it ran out of memory")},
    {"DeadLine", N_("it cannot end before its deadline")},
    {"FedJobLock", N_("the clusters of the federation agree on which of them starts it")},
    {"BurstBufferResources", N_("the burst buffer has no room for it")},
    {"BurstBufferStageIn", N_("its files are being copied into the burst buffer")},
    {"BurstBufferOperation", N_("the burst buffer has failed")},
    {"PowerNotAvail", N_("the cluster has no power to spare for it")},
    {"PowerReserved", N_("power is kept for others")},
};

bool slurm_reason_append(struct str *out, const char *word)
{
    struct slurm_limit l;
    for (size_t i = 0; i < sizeof slurm_words / sizeof *slurm_words; i++)
        if (str_eq(slurm_words[i].word, word)) {
            str_append(out, tr(slurm_words[i].text));
            return true;
        }
    if (!word || !slurm_limit_parse(word, &l))
        return false;
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
    str_appendf(out, tr(slurm_limit_sentence(&l)), slurm_thing_noun(l.thing));
#pragma GCC diagnostic pop
    return true;
}
