/* slurm_sacct.h - rows of sacct become ended jobs of the model. Pure.
 *
 * Each field ends with a word that is chosen at random for each question, as in slurm_table.h: a name may
 * hold a newline and a whole forged row.
 */
#ifndef STOKER_BACKEND_SLURM_PAST_SLURM_SACCT_H
#define STOKER_BACKEND_SLURM_PAST_SLURM_SACCT_H

#include "backend/slurm/slurm_value.h"
#include "src/base/err.h"
#include "src/model/job.h"

/* What --format is to be. Caller frees. */
char *slurm_sacct_format(void) __attribute__((warn_unused_result));

/* Takes the next row off what is left of an answer. *ret: a job, to be freed with job_free; NULL where the
 * row is none, or one that has not ended. Returns 1, 0 at the end, or -EBADMSG. */
int slurm_sacct_next(struct slurm_span *rest, const char *word, struct job **ret, struct errtext *err)
    __attribute__((warn_unused_result));

#endif
