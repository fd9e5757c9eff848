/* slurm_rights.h - what this user may do beyond their own jobs, so that the screens offer it. Slurm itself
 * decides on each request. */
#ifndef STOKER_BACKEND_SLURM_SLURM_RIGHTS_H
#define STOKER_BACKEND_SLURM_SLURM_RIGHTS_H

#include "backend/slurm/slurm_session.h"

struct slurm_rights;

/* By AdminLevel of the accounting. Operators act on all jobs and make reservations; slurmctld takes changes
 * of nodes from administrators alone (and from root and SlurmUser, which are such). */
enum slurm_level { SLURM_LEVEL_USER, SLURM_LEVEL_OPERATOR, SLURM_LEVEL_ADMINISTRATOR };

/* Asks the configuration for SlurmUser, then the accounting for the user's level; root is an
 * administrator in any case.
 * known is called once, later, when that is known or has taken too long. */
struct slurm_rights *slurm_rights_new(struct slurm_hub *hub, void (*known)(void *ctx), void *ctx)
    __attribute__((warn_unused_result));
void slurm_rights_free(struct slurm_rights *r);
bool slurm_rights_are_known(const struct slurm_rights *r);
/* At least an operator; an administrator. */
bool slurm_rights_is_operator(const struct slurm_rights *r);
bool slurm_rights_is_administrator(const struct slurm_rights *r);

/* The words of `sacctmgr show user` of this user, without a format. False where its name is not known or
 * does not serve as a name; *ret is then empty. */
bool slurm_rights_show_user(struct strv *ret);

/* Pure. SlurmUser of `scontrol show config`, "slurm(64030)", is that user. */
bool slurm_rights_is_slurm_user(const struct slurm_span *config, uint32_t uid);
/* Pure. What sacctmgr prints of AdminLevel. */
enum slurm_level slurm_rights_read_level(const char *out);

#endif
