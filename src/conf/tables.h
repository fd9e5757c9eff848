/* tables.h - the keys of stoker.cfg. */
#ifndef STOKER_CONF_TABLES_H
#define STOKER_CONF_TABLES_H

#include "src/conf/option.h"

extern const struct conf_section conf_cluster_section, conf_node_section, conf_part_section,
    conf_qos_section;

#endif
