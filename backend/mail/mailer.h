/* mailer.h - what users want to be told of their jobs, by the configured program.
 *
 *     change of a job --> queued with its ticket --committed--> MAIL_PROGRAM -s SUBJECT USER
 *                                                               (at most 4 at once)
 *
 * Never waited for: a program of its own, which is ended after a minute. At most once: what was queued when
 * the controller died is not said. Subjects are Slurm's, as filters of mailboxes know them.
 */
#ifndef STOKER_BACKEND_MAIL_MAILER_H
#define STOKER_BACKEND_MAIL_MAILER_H

#include "backend/loop/loop.h"
#include "src/model/model.h"

struct mailer;

/* m: whose configuration and jobs are read, and outlives it. ticket: what is said now must wait for. */
struct mailer *mailer_new(struct loop *l, const struct model *m, uint64_t (*ticket)(void *ctx), void *ctx)
    __attribute__((warn_unused_result));
void mailer_free(struct mailer *q);
/* The job was in that state before an event that has just been folded. */
void mailer_note_change(struct mailer *q, const struct job *j, enum job_state before);
/* What waited for that ticket may be said now. */
void mailer_commit(struct mailer *q, uint64_t ticket);
/* What was queued behind a later ticket than the last one committed has not happened. */
void mailer_drop_uncommitted(struct mailer *q);

#endif
