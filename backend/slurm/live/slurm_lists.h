/* slurm_lists.h - what a user may choose in the form, as sacctmgr prints it. Pure. */
#ifndef STOKER_BACKEND_SLURM_LIVE_SLURM_LISTS_H
#define STOKER_BACKEND_SLURM_LIVE_SLURM_LISTS_H

#include "backend/slurm/slurm_value.h"
#include "src/model/spec.h"

/* Replaces accounts and QOS of spec by those of rows "DEFAULT ACCOUNT|ACCOUNT|QOS,QOS"; the default account
 * comes first. Returns whether they have changed. */
bool slurm_lists_read(const struct slurm_span *answer, const char *user, struct cluster_spec *spec);

#endif
