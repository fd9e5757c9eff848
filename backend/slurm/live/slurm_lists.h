/* slurm_lists.h - what a user may choose in the form, as sacctmgr prints it. Pure. */
#ifndef STOKER_BACKEND_SLURM_LIVE_SLURM_LISTS_H
#define STOKER_BACKEND_SLURM_LIVE_SLURM_LISTS_H

#include "backend/slurm/slurm_value.h"
#include "src/model/spec.h"

/* Rows "DEFAULT ACCOUNT|ACCOUNT|QOS,QOS" become accounts and QOS of spec, in the place of those it has; the
 * default account first. Returns whether they are others now. */
bool slurm_lists_read(const struct slurm_span *answer, const char *user, struct cluster_spec *spec);

#endif
