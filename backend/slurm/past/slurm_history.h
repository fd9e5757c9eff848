/* slurm_history.h - jobs that have left squeue: sacct, in windows that widen towards the past, and what
 * they have held is remembered. Of this user alone, but for jobs that are asked for by their ids. Without
 * accounting: what this engine has seen to end (slurm_ends.h). */
#ifndef STOKER_BACKEND_SLURM_PAST_SLURM_HISTORY_H
#define STOKER_BACKEND_SLURM_PAST_SLURM_HISTORY_H

#include "backend/slurm/slurm_session.h"

struct slurm_history;

/* ends_path: the log of ends. hub and mirror outlive it. */
struct slurm_history *slurm_history_new(struct slurm_hub *hub, const struct slurm_mirror *mirror,
                                        const char *ends_path) __attribute__((warn_unused_result));
void slurm_history_free(struct slurm_history *h);
/* Jobs of the user that the mirror is told of: those that have ended are kept. */
void slurm_history_note(struct slurm_history *h, const struct job *j);

/* Answers with JOBS ... HISTORY_END, in the order that was asked for; or a RESULT with a refusal. */
void slurm_history_ask(struct slurm_session *s, uint64_t tag, struct msg_history *m);

#endif
