/* batch.h - a batch job from a command line: what sbatch and stoker submit have in common. */
#ifndef STOKER_CLI_BATCH_H
#define STOKER_CLI_BATCH_H

#include "src/cli/step/submission.h"
#include "src/jobspec/batchopts.h"

/* Options of the header, then of the environment, then of argv, over one another. Returns true; false:
 * *ret_exit says the rest. */
bool batch_parse(const struct cli *cli, struct batch *b, const struct script *s, int argc, char **argv,
                 unsigned flags, int *ret_exit) __attribute__((warn_unused_result));

/* What is to be submitted: takes the script's text and b's request. args: the script's arguments. Errors:
 * texts as Slurm's. */
int batch_message(struct batch *b, struct script *s, char *const *args, size_t n_args,
                  struct msg_submit *ret, struct errtext *err) __attribute__((warn_unused_result));

/* Waits for the end of a job or array. Returns its exit code as sbatch -W does: the highest; 1 for an end
 * by a signal. */
int batch_wait(const struct cli *cli, struct client *c, uint32_t job);

#endif
