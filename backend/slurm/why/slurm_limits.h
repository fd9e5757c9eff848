/* slurm_limits.h - what limits and licences have come to, as `scontrol` prints them. Pure. */
#ifndef STOKER_BACKEND_SLURM_SLURM_LIMITS_H
#define STOKER_BACKEND_SLURM_SLURM_LIMITS_H

#include "backend/slurm/slurm_value.h"
#include "src/model/cause.h"
#include "src/model/job.h"

/* The limit that Slurm names as the reason of job j: used, allowed, asked for. answer: of
 * `scontrol -o show assoc_mgr flags=assoc,qos`. False where that does not have it. ret: cause_clear. */
bool slurm_limit_cause(const struct slurm_span *answer, const struct job *j, const char *word,
                       struct cause *ret);

/* The licences that j asks for and that are short. answer: of `scontrol -o show license`. False: none. */
bool slurm_licence_cause(const struct slurm_span *answer, const struct job *j, struct cause *ret);

#endif
