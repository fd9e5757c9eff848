/* srunopts.h - srun's command line: the job options, those of steps, and what they make of a step. */
#ifndef STOKER_CLI_SRUNOPTS_H
#define STOKER_CLI_SRUNOPTS_H

#include "src/cli/cmd.h"
#include "src/client/client.h"
#include "src/jobspec/jobopts.h"

struct srunopts {
    struct jobopts job;
    uint32_t jobid;         /* --jobid or SLURM_JOB_ID; 0: outside of any job */
    struct strv rank_nodes; /* -m arbitrary: the node of each rank */
    bool label, preserve_env, multi_prog, kill_on_bad_exit, overlap, exact, unbuffered, pty, test_only,
        disable_status, mpi_list;
    uint32_t mpi; /* as in struct step */
    bool quit_on_interrupt, immediate;
    uint32_t immediate_s;
    uint32_t wait_s;
    uint32_t relative; /* -r: NOT_GIVEN */
};

extern const struct opts srun_opts; /* its context: struct srunopts */

void srunopts_init(struct srunopts *o);
void srunopts_fini(struct srunopts *o);

/* Fills in what the controller is asked for: counts, memory, GPUs, places, files. j: the job it will be
 * part of. command: for display. Errors: -EINVAL with a text (nodes that are not in the job). */
int srunopts_step(const struct srunopts *o, const struct job *j, const struct strv *command,
                  struct step *ret, struct errtext *err) __attribute__((warn_unused_result));

/* Once all options are in: -m arbitrary, and SLURM_HOSTFILE, which comes to the same. Errors: negative
 * errno with a text as Slurm's. */
int srunopts_finish(struct srunopts *o, struct errtext *err) __attribute__((warn_unused_result));
/* What a job that is to hold such a step must ask for: n tasks on each of the nodes. */
void srunopts_shape_job(const struct srunopts *o, struct job_req *r);

/* What --input says: whether srun's own standard input goes to the ranks. */
bool srunopts_feeds_stdin(const struct srunopts *o);
/* --output=N and --error=N: 1 + the rank whose output alone is shown, of the two streams; 0: all. Where
 * only the output is given so, it holds for both. */
void srunopts_only(const struct srunopts *o, uint32_t ret[static 2]);

#endif
