/* slurm_trial.h - what a submission would come to: `sbatch --test-only`, one at a time, with pauses that
 * follow its cost, because slurmctld holds its locks meanwhile. */
#ifndef STOKER_BACKEND_SLURM_SLURM_TRIAL_H
#define STOKER_BACKEND_SLURM_SLURM_TRIAL_H

#include "backend/slurm/slurm_session.h"

struct slurm_trials;

/* hub outlives it. */
struct slurm_trials *slurm_trials_new(struct slurm_hub *hub) __attribute__((warn_unused_result));
void slurm_trials_free(struct slurm_trials *l);

/* Answers with a RESULT: when it would start, or a refusal in Slurm's words. */
void slurm_trial(struct slurm_session *s, uint64_t tag, const struct msg_submit *m);

/* What --test-only has printed, as an answer; the caller frees it with rec_fini. now: a start by then is
 * one at once. Pure. */
void slurm_trial_read(const char *says, struct wall now, struct msg_result *ret);
#endif
