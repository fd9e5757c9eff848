/* nodeedit.h - the list of nodes in the text of stoker.cfg: an entry goes in or out, everything else stays
 * as its author wrote it.
 *
 * Knows libconfig's lexical side (comments, strings, brackets), nothing of its meaning: who calls has the
 * result parsed before it is written.
 */
#ifndef STOKER_CLI_NODEEDIT_H
#define STOKER_CLI_NODEEDIT_H

#include "src/base/err.h"
#include "src/base/str.h"

/* Appends text with entry ("{ name = ...; }") behind the last one of its `nodes`. Where it has none a list
 * is made, with first (may be NULL) in front of it: without a list the machine itself is the only node, and
 * is to stay one. Errors: -EINVAL. */
int nodeedit_add(struct str *out, const char *text, const char *entry, const char *first,
                 struct errtext *err) __attribute__((warn_unused_result));

/* Appends text without the entry whose name is exactly name. Errors: -ENOENT: there is none, it may be one
 * of a pattern's or of an included file's. */
int nodeedit_remove(struct str *out, const char *text, const char *name, struct errtext *err)
    __attribute__((warn_unused_result));

#endif
