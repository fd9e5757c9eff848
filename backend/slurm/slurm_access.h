/* slurm_access.h - the accounts and the QOS of this user, for the lists of the form: asked of Slurm's
 * database by sacctmgr, once, and again after an hour. Where there is no database the lists are empty.
 */
#ifndef STOKER_BACKEND_SLURM_SLURM_ACCESS_H
#define STOKER_BACKEND_SLURM_SLURM_ACCESS_H

#include "backend/slurm/slurm_session.h"

struct slurm_access;

/* on_known: the lists are others now. hub and mirror outlive it. */
struct slurm_access *slurm_access_new(struct slurm_hub *hub, struct slurm_mirror *mirror,
                                      void (*on_known)(void *ctx), void *ctx)
    __attribute__((warn_unused_result));
void slurm_access_free(struct slurm_access *a); /* NULL is fine */
/* Asks if it is time. Does nothing while it asks already. */
void slurm_access_check(struct slurm_access *a);

#endif
