/* slurm_causes.h - why a job waits: Slurm's reason comes first, then what can be counted of it in the
 * mirror. Pure.
 */
#ifndef STOKER_BACKEND_SLURM_SLURM_CAUSES_H
#define STOKER_BACKEND_SLURM_SLURM_CAUSES_H

#include "backend/slurm/slurm_value.h"
#include "src/answers/answer_why.h"
#include "src/model/model.h"

/* What is known beside the rows; an answer that is empty is not known. */
struct slurm_facts {
    bool has_all;               /* the model has the jobs of all users */
    struct slurm_span detail;   /* scontrol -o show job ID */
    struct slurm_span limits;   /* scontrol -o show assoc_mgr flags=assoc,qos */
    struct slurm_span licences; /* scontrol -o show license */
};

/* The first cause, without nodes one by one; CAUSE_NONE where the job does not wait. */
void slurm_cause_first(const struct model *m, const struct job *j, bool has_all, struct cause *ret);
/* The whole answer; the caller frees it with rec_fini. */
void slurm_cause_why(const struct model *m, const struct job *j, const struct slurm_facts *facts,
                     struct msg_why *ret);

/* Slurm's reason without what it appends: "ReqNodeNotAvail" of "ReqNodeNotAvail, UnavailableNodes:n1",
 * which is in *ret_rest then ("UnavailableNodes:n1"), else NULL. Caller frees both. */
char *slurm_reason_word(const struct job *j, char **ret_rest);

#endif
