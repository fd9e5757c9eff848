/* slurm_ask.h - questions to Slurm that a client's question needs: asked on demand, answered again from
 * what is kept of it for a while.
 */
#ifndef STOKER_BACKEND_SLURM_SLURM_ASK_H
#define STOKER_BACKEND_SLURM_SLURM_ASK_H

#include "backend/slurm/slurm_session.h"

struct slurm_asks; /* what is kept, for all clients */

struct slurm_asks *slurm_asks_new(void) __attribute__((warn_unused_result));
void slurm_asks_free(struct slurm_asks *a); /* NULL is fine */
/* What they have cost, behind the rows of slurm_poll_report. */
void slurm_asks_report(const struct slurm_asks *a, struct msg_engine *ret);

/* s is NULL where the client has gone by then. answer: empty where Slurm has refused it; valid during the
 * call. */
typedef void slurm_ask_fn(struct slurm_session *s, uint64_t tag, const struct slurm_span *answer,
                          void *arg);

/* fn is called once: at once if what is kept is younger than young_ms. */
void slurm_ask(struct slurm_session *s, uint64_t tag, const struct strv *argv, int64_t young_ms,
               slurm_ask_fn *fn, void *arg);

#endif
