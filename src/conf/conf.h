/* conf.h - stoker.cfg: from the file to a struct cluster_spec, checked, and back to text. */
#ifndef STOKER_CONF_CONF_H
#define STOKER_CONF_CONF_H

#include "src/base/err.h"
#include "src/base/str.h"
#include "src/model/spec.h"

/* Reads path and what it includes. Owns: *ret, uninitialised before, is the caller's (rec_fini with
 * cluster_spec_rec). Errors: -ENOENT and the like (cannot be read), -EINVAL; the text is "FILE:LINE:
 * ...". */
int conf_load(const char *path, struct cluster_spec *ret, struct errtext *err)
    __attribute__((warn_unused_result));
/* The same for a text in memory, called name in errors. */
int conf_parse(const char *name, const char *text, struct cluster_spec *ret, struct errtext *err)
    __attribute__((warn_unused_result));

/* What there is without a file: this machine and the partition "main". */
void conf_default(struct cluster_spec *ret);

/* The configuration in force as the text of a file that gives the same one. Caller frees. */
char *conf_dump(const struct cluster_spec *spec) __attribute__((warn_unused_result));

/* Appends the reference of all keys, as docs/CONFIG.md has it. */
void conf_reference(struct str *out);

#endif
