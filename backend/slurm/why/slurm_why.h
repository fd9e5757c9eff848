/* slurm_why.h - the questions of clients about jobs that wait. */
#ifndef STOKER_BACKEND_SLURM_SLURM_WHY_H
#define STOKER_BACKEND_SLURM_SLURM_WHY_H

#include "backend/slurm/slurm_session.h"

/* Answers with WHY_CAUSES, once Slurm has said what the rows do not have: at most two short questions. */
void slurm_why(struct slurm_session *s, uint64_t tag, const struct msg_job *q);
/* Answers at once, from the rows. */
void slurm_why_waits(struct slurm_session *s, uint64_t tag, const struct msg_waits_get *q);

#endif
