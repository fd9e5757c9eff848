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
#include "src/jobattr/jobattr.h"
#include "src/model/job.h"
#include "src/values/opt.h"

/* J_ACCOUNT and so on: the number of a row of src/jobattr/job_attrs.h. */
enum jobopt {
    J_NONE,
#define X(ID, ...) J_##ID,
#define O(ID, ...) J_##ID,
#define ALIAS(ID, ...)
    JOB_ATTRS(X, O, ALIAS)
#undef X
#undef O
#undef ALIAS
        J_HARMLESS, /* known, and the job is right without it */
    J_UNSUPPORTED,  /* known, and leaving it out would give another job than asked for */
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
    const struct strv *far_env; /* what jobs begin with where the cluster is another machine's; NULL: what
                                   this process has */
    enum jobopt_level level;    /* of what is being parsed */
    uint8_t given[J_N];         /* enum jobopt_level of the source that gave each last */
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

/* The id of a user of that name; false where there is none. In jobopts_user.c: a program that cannot ask,
 * as a static one, defines it itself. */
bool jobopts_find_user(const char *name, unsigned *ret_uid);

#endif
