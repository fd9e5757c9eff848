#include "src/answers/slurm_reason.h"

#include <stddef.h>
#include <string.h>

/* Takes a word off the front. */
static bool slurm_reason_take(const char **at, const char *word)
{
    size_t n = strlen(word);
    if (strncmp(*at, word, n) != 0)
        return false;
    *at += n;
    return true;
}

static bool slurm_reason_take_holder(const char **at, struct slurm_limit *ret)
{
    static const struct {
        const char *word;
        struct slurm_limit is;
    } holders[] = {
        {"AssocGrp", {.holder = SLURM_OF_ASSOCIATION, .bound = SLURM_ALL_JOBS}},
        {"AssocMax", {.holder = SLURM_OF_ASSOCIATION, .bound = SLURM_EACH_USER}},
        {"QOSGrp", {.holder = SLURM_OF_QOS, .bound = SLURM_ALL_JOBS}},
        {"QOSMax", {.holder = SLURM_OF_QOS, .bound = SLURM_EACH_JOB}},
        {"QOSMin", {.holder = SLURM_OF_QOS, .bound = SLURM_EACH_JOB, .least = true}},
        {"Max", {.holder = SLURM_OF_QOS, .bound = SLURM_EACH_ACCOUNT}},
    };
    for (size_t i = 0; i < sizeof holders / sizeof *holders; i++)
        if (slurm_reason_take(at, holders[i].word)) {
            *ret = holders[i].is;
            return true;
        }
    return false;
}

/* A longer word stands before one that it begins with. */
static bool slurm_reason_take_thing(const char **at, struct slurm_limit *ret)
{
    static const struct {
        const char *word;
        enum slurm_thing thing;
    } things[] = {
        {"Cpu", SLURM_THING_CPUS},
        {"CPU", SLURM_THING_CPUS},
        {"Memory", SLURM_THING_MEMORY},
        {"Mem", SLURM_THING_MEMORY},
        {"Node", SLURM_THING_NODES},
        {"GRES", SLURM_THING_GRES},
        {"BB", SLURM_THING_BURST_BUFFER},
        {"Billing", SLURM_THING_BILLING},
        {"Energy", SLURM_THING_ENERGY},
        {"License", SLURM_THING_LICENSES},
        {"Jobs", SLURM_THING_JOBS},
        {"SubmitJobs", SLURM_THING_SUBMITTED},
        {"SubmitJob", SLURM_THING_SUBMITTED},
        {"WallDuration", SLURM_THING_WALL},
        {"Wall", SLURM_THING_WALL},
        {"Unknown", SLURM_THING_UNKNOWN},
    };
    for (size_t i = 0; i < sizeof things / sizeof *things; i++)
        if (slurm_reason_take(at, things[i].word)) {
            ret->thing = things[i].thing;
            return true;
        }
    return false;
}

bool slurm_limit_parse(const char *word, struct slurm_limit *ret)
{
    const char *at = word;
    if (!slurm_reason_take_holder(&at, ret) || !slurm_reason_take_thing(&at, ret))
        return false;
    bool account = ret->bound == SLURM_EACH_ACCOUNT;
    if (slurm_reason_take(&at, "RunMinutes"))
        ret->count = SLURM_RUN_MINUTES;
    else if (slurm_reason_take(&at, "Minutes"))
        ret->count = SLURM_MINUTES;
    if (slurm_reason_take(&at, "PerJob"))
        ret->bound = SLURM_EACH_JOB;
    else if (slurm_reason_take(&at, "PerNode"))
        ret->bound = SLURM_EACH_NODE;
    else if (slurm_reason_take(&at, "PerUser"))
        ret->bound = SLURM_EACH_USER;
    else if (account && !slurm_reason_take(&at, "PerAccount"))
        return false;
    slurm_reason_take(&at, "NotSatisfied");
    slurm_reason_take(&at, "Limit");
    return !*at;
}
