/* hostlist.h - node lists in Slurm's bracket form: n[1-2,05-07],x3 */
#ifndef STOKER_VALUES_HOSTLIST_H
#define STOKER_VALUES_HOSTLIST_H

#include <stddef.h>

#include "src/base/err.h"
#include "src/base/str.h"

#define HOSTLIST_MAX 100000 /* names that one expression may give */

/* Expands; order and zero padding are kept, duplicates stay. Several bracket groups in a name multiply.
 * Owns: the caller frees *ret with strv_fini. Errors: -EINVAL (syntax, text says where), -E2BIG (over
 * HOSTLIST_MAX). */
int hostlist_expand(const char *expr, struct strv *ret, struct errtext *err)
    __attribute__((warn_unused_result));

/* Compresses in the order given: runs of one prefix and one padding become ranges; a list whose names are
 * given sorted comes out as Slurm prints it. Caller frees. */
char *hostlist_compress(const struct strv *names) __attribute__((warn_unused_result));

#endif
