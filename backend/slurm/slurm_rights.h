/* slurm_rights.h - whether this user is an operator of the Slurm, so that the screens offer changes of
 * nodes. Slurm itself decides on each of them. */
#ifndef STOKER_BACKEND_SLURM_SLURM_RIGHTS_H
#define STOKER_BACKEND_SLURM_SLURM_RIGHTS_H

#include "backend/slurm/slurm_session.h"

struct slurm_rights;

/* Asks the configuration for SlurmUser, then the accounting for the user's level; root is one in any case.
 * known is called once, later, when that is known or has taken too long. */
struct slurm_rights *slurm_rights_new(struct slurm_hub *hub, void (*known)(void *ctx), void *ctx)
    __attribute__((warn_unused_result));
void slurm_rights_free(struct slurm_rights *r);
bool slurm_rights_are_known(const struct slurm_rights *r);
bool slurm_rights_is_operator(const struct slurm_rights *r);

/* The words of `sacctmgr show user` of this user, without a format. False where its name is not known or
 * does not serve as a name; *ret is then empty. */
bool slurm_rights_show_user(struct strv *ret);

/* Pure. SlurmUser of `scontrol show config`, "slurm(64030)", is that user. */
bool slurm_rights_is_slurm_user(const struct slurm_span *config, uint32_t uid);
/* Pure. What sacctmgr prints of AdminLevel. */
bool slurm_rights_is_level(const char *out);

#endif
