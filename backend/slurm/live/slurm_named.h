/* slurm_named.h - jobs that a client names and no list has: Slurm is asked for them by their ids.
 *
 * A list is some seconds old, and may have the user's own jobs alone. A job that was submitted since, or
 * that belongs to another user, is asked for once for each request that names it. Ids that wait share one
 * question. A question has a pause of 50 times what it took, at most 10 s; eight of them may be asked ahead
 * of that.
 */
#ifndef STOKER_BACKEND_SLURM_LIVE_SLURM_NAMED_H
#define STOKER_BACKEND_SLURM_LIVE_SLURM_NAMED_H

#include "backend/slurm/slurm_session.h"

struct slurm_named;

/* on_known is called when a question is answered, or has failed. hub and mirror must outlive the result. */
struct slurm_named *slurm_named_new(struct slurm_hub *hub, struct slurm_mirror *mirror,
                                    void (*on_known)(void *ctx), void *ctx)
    __attribute__((warn_unused_result));
void slurm_named_free(struct slurm_named *n); /* NULL is fine */
/* Appends the cost of these questions to the rows of slurm_poll_report. */
void slurm_named_report(const struct slurm_named *n, struct msg_engine *ret);

/* Whether a request that came at `since` has to wait: the mirror does not have that job, and Slurm has not
 * answered about it since then. Then it is being asked, or will be. */
bool slurm_named_must_wait(struct slurm_named *n, const struct job_target *t, struct mono since);
/* Whether the mirror has that job. */
bool slurm_named_is_known(const struct slurm_named *n, const struct job_target *t);
/* Why the last question failed, in Slurm's words; NULL: it was answered, perhaps with "no such job". */
const char *slurm_named_trouble(const struct slurm_named *n);

#endif
