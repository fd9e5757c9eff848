/* slurm_access.h - the accounts and the QOS of this user, for the lists of the form: read from Slurm's
 * database by sacctmgr, and again after an hour. Without a database the lists are empty.
 */
#ifndef STOKER_BACKEND_SLURM_SLURM_ACCESS_H
#define STOKER_BACKEND_SLURM_SLURM_ACCESS_H

#include "backend/slurm/slurm_session.h"

struct slurm_access;

/* on_known is called when the lists have changed. hub and mirror must outlive the result. */
struct slurm_access *slurm_access_new(struct slurm_hub *hub, struct slurm_mirror *mirror,
                                      void (*on_known)(void *ctx), void *ctx)
    __attribute__((warn_unused_result));
void slurm_access_free(struct slurm_access *a); /* NULL is fine */
/* Asks if a new answer is due and no question is running. */
void slurm_access_check(struct slurm_access *a);

#endif
