/* conf_check.h - what the tables cannot say: names that must be there, and must be there once. */
#ifndef STOKER_CONF_CONF_CHECK_H
#define STOKER_CONF_CONF_CHECK_H

#include "src/conf/option.h"
#include "src/model/spec.h"

/* Expands node patterns, fills in what follows from other keys, and checks all references. root is the
 * file's root group, from which the lists in spec were read entry by entry. */
int conf_finish(const struct conf_parse *c, const config_setting_t *root, struct cluster_spec *spec)
    __attribute__((warn_unused_result));

#endif
