/* slurm_reason.h - what a limit is about that Slurm names as the reason of a job: "QOSMaxCpuPerUserLimit".
 * Pure.
 */
#ifndef STOKER_ANSWERS_SLURM_REASON_H
#define STOKER_ANSWERS_SLURM_REASON_H

#include <stdbool.h>
#include <stdint.h>

/* X(enum member): what is limited. */
#define SLURM_THINGS(X)                                                                                      \
    X(CPUS) X(MEMORY) X(NODES) X(GRES) X(BURST_BUFFER) X(BILLING) X(ENERGY) X(LICENSES) X(JOBS)              \
    X(SUBMITTED) X(WALL) X(UNKNOWN)

enum slurm_thing {
#define X(name) SLURM_THING_##name,
    SLURM_THINGS(X)
#undef X
        SLURM_N_THINGS
};

/* Whose it is: of the job's association (account, user and perhaps partition), or of its QOS. */
enum slurm_holder { SLURM_OF_ASSOCIATION, SLURM_OF_QOS };

/* What is counted together. */
enum slurm_bound { SLURM_ALL_JOBS, SLURM_EACH_USER, SLURM_EACH_ACCOUNT, SLURM_EACH_JOB, SLURM_EACH_NODE };

/* How: at a time; over time; over the time that what runs may still take. */
enum slurm_count { SLURM_AT_ONCE, SLURM_MINUTES, SLURM_RUN_MINUTES };

struct slurm_limit {
    enum slurm_thing thing;
    enum slurm_holder holder;
    enum slurm_bound bound;
    enum slurm_count count;
    bool least; /* it asks for too little */
};

/* False where the word names no limit of that kind. */
bool slurm_limit_parse(const char *word, struct slurm_limit *ret);

#endif
