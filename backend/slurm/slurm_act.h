/* slurm_act.h - actions on jobs: commands of Slurm, run as the user, and their refusals in its words. */
#ifndef STOKER_BACKEND_SLURM_SLURM_ACT_H
#define STOKER_BACKEND_SLURM_SLURM_ACT_H

#include "backend/slurm/slurm_session.h"

/* Each answers with a RESULT once Slurm has, and has the rows of those jobs read again. */
void slurm_act(struct slurm_session *s, uint64_t tag, const struct msg_act *m);
void slurm_act_update(struct slurm_session *s, uint64_t tag, const struct msg_update *m);
/* Answers with SCRIPT_TEXT: `scontrol write batch_script`. */
void slurm_act_script(struct slurm_session *s, uint64_t tag, const struct msg_job *m);

/* The words of one command for targets [from, from + n); the caller frees them. False where Slurm has no
 * command for it. Pure. */
bool slurm_act_argv(const struct model *model, const struct msg_act *m, size_t from, size_t n,
                    struct strv *ret) __attribute__((warn_unused_result));

/* Slurm prints the same texts as the protocol's refusals; what is none of them is still a refusal. Pure. */
enum refusal slurm_refusal_of(const char *says);

#endif
