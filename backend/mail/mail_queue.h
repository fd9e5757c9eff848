/* mail_queue.h - mails that wait for the disk, and the programs that send them. */
#ifndef STOKER_BACKEND_MAIL_MAIL_QUEUE_H
#define STOKER_BACKEND_MAIL_MAIL_QUEUE_H

#include "backend/loop/loop.h"
#include "src/base/str.h"

struct mail_queue;

/* program: as configured when a mail is sent; NULL or "": none is. */
struct mail_queue *mail_queue_new(struct loop *l, char *const *program) __attribute__((warn_unused_result));
void mail_queue_free(struct mail_queue *q);
/* Takes env. uid: who caused it; users take turns. Sent once the ticket is committed. Beyond a bound the
 * newest mails of the user with the most mails are dropped, which is logged. */
void mail_queue_add(struct mail_queue *q, uint64_t ticket, uint32_t uid, const char *user,
                    const char *subject, struct strv *env);
void mail_queue_commit(struct mail_queue *q, uint64_t ticket);
void mail_queue_drop_uncommitted(struct mail_queue *q);

#endif
