/* exportenv.h - which variables go along with a job: --export. */
#ifndef STOKER_JOBSPEC_EXPORTENV_H
#define STOKER_JOBSPEC_EXPORTENV_H

#include "src/base/err.h"
#include "src/base/str.h"

#define EXPORT_BYTES_MAX (1u << 20)
#define EXPORT_COUNT_MAX 4096u

/* The environment that spec (NULL: ALL) makes of env. ALL; NONE and NIL: a login's basic variables (base;
 * NULL: HOME, USER, LOGNAME, SHELL of the calling user, and a PATH that these commands are in) and SLURM_*,
 * SPANK_*, STOKER_*; a list of NAME and NAME=value: these too, and with ALL among them everything. Commas
 * in quotes belong to the value. Owns: the caller frees *ret. Errors: -EINVAL (a malformed name), -E2BIG
 * (over EXPORT_BYTES_MAX or EXPORT_COUNT_MAX). */
int export_env(const char *spec, const struct strv *env, const struct strv *base, struct strv *ret,
               struct errtext *err) __attribute__((warn_unused_result));

/* Takes out what describes the job that env was made for, so that it cannot be taken for the new one's. */
void export_clean_job(struct strv *env);

#endif
