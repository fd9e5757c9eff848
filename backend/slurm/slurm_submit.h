/* slurm_submit.h - submissions: sbatch, run as the user, at most once for each number that a client gives.
 *
 * What is submitted is on disk before sbatch is started (slurm_intent.h). sbatch is not ended with this
 * process. Whatever was not answered, by a crash or because Slurm did not answer in time, is looked for in
 * squeue before anything is said or tried again.
 */
#ifndef STOKER_BACKEND_SLURM_SLURM_SUBMIT_H
#define STOKER_BACKEND_SLURM_SLURM_SUBMIT_H

#include "backend/slurm/slurm_session.h"

struct slurm_submits;

struct slurm_submits_settings {
    struct slurm_hub *hub;
    const struct slurm_mirror *mirror;
    struct slurm_poll *poll;
    const char *root;  /* where intents are kept */
    int64_t settle_ms; /* slurmctld may take a message so long after its sender has gone; 0: 10 s */
};

/* hub, mirror and poll have to outlive it. Looks for what an earlier server has left open. */
struct slurm_submits *slurm_submits_new(const struct slurm_submits_settings *settings)
    __attribute__((warn_unused_result));
/* Leaves each sbatch alone. */
void slurm_submits_free(struct slurm_submits *l);
/* An sbatch runs whose answer is waited for. */
bool slurm_submits_are_busy(const struct slurm_submits *l);
/* A submission is looked for in Slurm. */
bool slurm_submits_look(const struct slurm_submits *l);

/* Answers with a RESULT: the job, or a refusal in Slurm's words. With test_only: see slurm_trial.h. */
void slurm_submit(struct slurm_session *s, uint64_t tag, const struct msg_submit *m);

/* Whether an sbatch that has said this may have submitted the job all the same, without an answer. */
bool slurm_submit_is_doubtful(const char *says);

#endif
