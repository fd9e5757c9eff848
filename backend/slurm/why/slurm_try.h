/* slurm_try.h - what a change of a waiting job would come to: one `sbatch --test-only` of a job that asks
 * for the same, with the change. Slurm has no test of a change of the job itself. */
#ifndef STOKER_BACKEND_SLURM_WHY_SLURM_TRY_H
#define STOKER_BACKEND_SLURM_WHY_SLURM_TRY_H

#include "backend/slurm/slurm_session.h"

/* Answers with a RESULT as slurm_trial does. */
void slurm_try(struct slurm_session *s, uint64_t tag, const struct msg_update *m);

/* The submission that is tested; caller frees it with rec_fini. No array, no dependency, no hold: the test
 * is about where and when, and Slurm refuses a test of a dependency on a job that has left. Errors: -EINVAL
 * with a text; *ret is then empty. Pure. */
int slurm_try_submission(const struct job *j, const struct strv *changes, struct wall now,
                         struct msg_submit *ret, struct errtext *err) __attribute__((warn_unused_result));

#endif
