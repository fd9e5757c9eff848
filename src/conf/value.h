/* value.h - one value of the configuration: from its text and back. */
#ifndef STOKER_CONF_VALUE_H
#define STOKER_CONF_VALUE_H

#include "src/conf/option.h"

/* Sets a plain member (no list, no group) from its text; lists of texts are added to. Errors: -EINVAL,
 * -ERANGE, -E2BIG with a text. */
int value_set(const struct conf_option *o, void *base, const char *text, struct errtext *err)
    __attribute__((warn_unused_result));
/* Appends the value as it stands in a file. Returns false and appends nothing where there is none. */
bool value_append(const struct conf_option *o, const void *base, struct str *out);
/* A value like "unlimited" or "detect" that is there without being said. */
bool value_is_default_special(const struct conf_option *o, const void *base);

#endif
