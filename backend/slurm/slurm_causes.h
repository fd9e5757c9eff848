/* slurm_causes.h - why a job waits, as far as the rows tell. Pure. */
#ifndef STOKER_BACKEND_SLURM_SLURM_CAUSES_H
#define STOKER_BACKEND_SLURM_SLURM_CAUSES_H

#include "src/answers/answer_why.h"
#include "src/model/model.h"

/* The first cause; CAUSE_NONE where the job does not wait. has_all: m has the jobs of all users. */
void slurm_cause_first(const struct model *m, const struct job *j, bool has_all, struct cause *ret);
/* The whole answer; the caller frees it with rec_fini. */
void slurm_cause_why(const struct model *m, const struct job *j, bool has_all, struct msg_why *ret);

#endif
