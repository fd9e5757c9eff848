/* spec.c - the record tables of the configuration. */
#include "src/model/spec.h"

#include "src/base/err.h"

REC_DEFINE(node_spec, NODE_SPEC_FIELDS)
REC_DEFINE(part_spec, PART_SPEC_FIELDS)
REC_DEFINE(qos_spec, QOS_SPEC_FIELDS)
REC_DEFINE(account_user, ACCOUNT_USER_FIELDS)
REC_DEFINE(account_spec, ACCOUNT_SPEC_FIELDS)
REC_DEFINE(limit_set, LIMIT_SET_FIELDS)
REC_DEFINE(limit_spec, LIMIT_SPEC_FIELDS)
REC_DEFINE(priority_spec, PRIORITY_SPEC_FIELDS)
REC_DEFINE(license_spec, LICENSE_SPEC_FIELDS)
REC_DEFINE(cluster_spec, CLUSTER_SPEC_FIELDS)

const char *part_state_text(enum part_state s)
{
    static const char *const names[] = {
        [PART_UP] = "UP", [PART_DOWN] = "DOWN", [PART_DRAIN] = "DRAIN", [PART_INACTIVE] = "INACTIVE"};
    bug_on((unsigned)s > PART_INACTIVE);
    return names[s];
}
