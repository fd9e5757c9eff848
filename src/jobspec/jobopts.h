/* jobopts.h - the options that describe a job: one table for sbatch, #SBATCH lines, salloc, srun and stoker
 * submit.
 *
 * Sources give options one after the other, weakest first: header, environment, command line; each later
 * one wins. What belongs together is replaced together: --mem on the command line ends --mem-per-cpu of the
 * header, and so with the GPUs.
 */
#ifndef STOKER_JOBSPEC_JOBOPTS_H
#define STOKER_JOBSPEC_JOBOPTS_H

#include "src/base/time.h"
#include "src/jobspec/opt.h"
#include "src/model/job.h"

enum jobopt {
    J_NONE,
    J_ACCOUNT,
    J_BEGIN,
    J_CLUSTERS,
    J_COMMENT,
    J_CONSTRAINT,
    J_CONTIGUOUS,
    J_CPUS_PER_GPU,
    J_CPUS_PER_TASK,
    J_DEPENDENCY,
    J_CHDIR,
    J_DEADLINE,
    J_DISTRIBUTION,
    J_ERROR,
    J_EXCLUDE,
    J_EXCLUSIVE,
    J_EXPORT,
    J_GID,
    J_GPUS,
    J_GPUS_PER_NODE,
    J_GPUS_PER_TASK,
    J_GRES,
    J_HOLD,
    J_INPUT,
    J_JOB_NAME,
    J_KILL_ON_INVALID_DEP,
    J_LICENSES,
    J_LOST_NODE,
    J_MAIL_TYPE,
    J_MAIL_USER,
    J_MEM,
    J_MEM_PER_CPU,
    J_MEM_PER_GPU,
    J_MINCPUS,
    J_NICE,
    J_NODELIST,
    J_NODES,
    J_NO_REQUEUE,
    J_NTASKS,
    J_NTASKS_PER_GPU,
    J_NTASKS_PER_NODE,
    J_OPEN_MODE,
    J_OUTPUT,
    J_OVERCOMMIT,
    J_PARTITION,
    J_PRIORITY,
    J_PROPAGATE,
    J_QOS,
    J_QUIET,
    J_REQUEUE,
    J_RESERVATION,
    J_SIGNAL,
    J_TIME,
    J_TIME_MIN,
    J_TMP,
    J_UID,
    J_VERBOSE,
    J_WCKEY,
    J_HARMLESS,    /* known, and the job is right without it */
    J_UNSUPPORTED, /* known, and leaving it out would give another job than asked for */
    J_N
};

enum jobopt_level { LEVEL_DEFAULT, LEVEL_HEADER, LEVEL_ENV, LEVEL_COMMAND_LINE };

struct jobopts {
    struct job_req req;
    bool hold, quiet;
    unsigned verbose;
    char *export_spec;
    char *cluster;                                  /* -M */
    uint32_t cpus_per_gpu, ntasks_per_gpu, mincpus; /* NOT_GIVEN */
    uint32_t distribution;                          /* as in struct step */
    char *distribution_text;                        /* as given; NULL: not */
    uint32_t propagate;                             /* a bit for each enum ulimit_kind, where it is given */
    struct wall now;                                /* for --begin=now+1hour */
    char *cwd;
    enum jobopt_level level; /* of what is being parsed */
    uint8_t given[J_N];      /* enum jobopt_level of the source that gave each last */
};

extern const struct opts
    jobopts_table; /* its context: struct jobopts at offset 0; copy and set .at for another place */

/* Reads the clock and the current directory. */
void jobopts_init(struct jobopts *o);
void jobopts_fini(struct jobopts *o);
/* A handler: see opt_fn. */
int jobopts_set(void *ctx, const struct opt *opt, const char *arg, struct errtext *err);
/* Once all sources are in: what follows from several options together. */
int jobopts_finish(struct jobopts *o, struct errtext *err) __attribute__((warn_unused_result));

#endif
