/* slurm_usage.h - shares of accounts and users by sshare, and the parts of priorities by sprio. */
#ifndef STOKER_BACKEND_SLURM_USAGE_SLURM_USAGE_H
#define STOKER_BACKEND_SLURM_USAGE_SLURM_USAGE_H

#include "backend/slurm/slurm_session.h"
#include "src/answers/answer_prio.h"

/* Answer with SHARES_ROWS and PRIO_ROWS, or refuse. An answer of sshare is kept for 30 s. */
void slurm_usage_shares(struct slurm_session *s, uint64_t tag, const struct msg_shares *m);
void slurm_usage_prio(struct slurm_session *s, uint64_t tag, const struct msg_prio *m);

/* Rows of `sshare --parsable2` with the columns that slurm_usage_shares asks for. A figure that sshare does
 * not give is 0. Errors: -EBADMSG. Pure. */
int slurm_usage_read_shares(const struct slurm_span *answer, struct msg_shares_rows *ret,
                            struct errtext *err) __attribute__((warn_unused_result));
/* Rows of `sprio` with the columns that slurm_usage_prio asks for; other rows are ignored. Pure. */
void slurm_usage_read_prio(const struct slurm_span *answer, const struct model *m,
                           struct msg_prio_rows *ret);

#endif
