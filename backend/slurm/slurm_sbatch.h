/* slurm_sbatch.h - a submission as sbatch takes it: words and environment; and what it says to that.
 *
 * The script goes to sbatch as it is, with its #SBATCH lines, options that Stoker does not know included.
 * Only what the request says beyond them becomes an option.
 */
#ifndef STOKER_BACKEND_SLURM_SLURM_SBATCH_H
#define STOKER_BACKEND_SLURM_SLURM_SBATCH_H

#include "src/proto/msg.h"

/* What sbatch has to be told of m, "sbatch" first; the script's path and arguments go behind it. The caller
 * frees. */
void slurm_sbatch_words(const struct msg_submit *m, struct strv *ret);

/* The environment that the job is to have, and where Slurm's configuration lies, from own. Nothing in it
 * changes what sbatch does; --export is among the words. The caller frees. */
struct strv slurm_sbatch_env(const struct msg_submit *m, const struct strv *own);

/* The directory that the job was submitted in; NULL: not said. */
const char *slurm_sbatch_dir(const struct msg_submit *m);

/* "sbatch: error: Batch job submission failed: Invalid qos specification" without what all of them have;
 * the lines before it, of the site's plugins, stay. Caller frees. */
char *slurm_sbatch_says(const char *says) __attribute__((warn_unused_result));

#endif
