/* jobopts_check.h - options that are taken without effect, but not whatever their argument: a slip must be
 * heard. */
#ifndef STOKER_JOBSPEC_JOBOPTS_CHECK_H
#define STOKER_JOBSPEC_JOBOPTS_CHECK_H

#include "src/values/opt.h"

/* Slurm's text and the kind of failure (see opt_fn) where opt does not take arg; 0 for options that nothing
 * is known about. arg: NULL where there is none. */
int jobopts_check(const struct opt *opt, const char *arg, struct errtext *err)
    __attribute__((warn_unused_result));

/* --distribution: block, cyclic, plane=N ... and what may follow. Errors: -EINVAL. */
int jobopts_check_distribution(const char *arg, struct errtext *err) __attribute__((warn_unused_result));

#endif
