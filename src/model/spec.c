/* spec.c - the record tables of the configuration. */
#include "src/model/spec.h"

#include "src/base/err.h"
#include "src/os/ulimit.h"

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

#define SPEC_FIND(TYPE, NAME, LIST)                                                     \
    const struct TYPE *spec_find_##NAME(const struct cluster_spec *s, const char *name) \
    {                                                                                   \
        for (size_t i = 0; i < s->LIST.n; i++)                                          \
            if (str_eq(s->LIST.v[i].name, name))                                        \
                return &s->LIST.v[i];                                                   \
        return NULL;                                                                    \
    }
SPEC_FIND(node_spec, node, nodes)
SPEC_FIND(part_spec, part, parts)
SPEC_FIND(qos_spec, qos, qos)
SPEC_FIND(account_spec, account, accounts)
SPEC_FIND(license_spec, license, licenses)

uint32_t spec_part_position(const struct cluster_spec *s, const char *name)
{
    const struct part_spec *p = spec_find_part(s, name);
    return p ? (uint32_t)(p - s->parts.v) : UINT32_MAX;
}

const char *part_state_text(enum part_state s)
{
    static const char *const names[] = {
        [PART_UP] = "UP", [PART_DOWN] = "DOWN", [PART_DRAIN] = "DRAIN", [PART_INACTIVE] = "INACTIVE"};
    bug_on((unsigned)s > PART_INACTIVE);
    return names[s];
}

static uint32_t kinds_of(const struct strv *names)
{
    uint32_t all = 0, one;
    for (size_t i = 0; i < names->n; i++)
        if (ulimit_parse(names->v[i], &one, NULL, NULL) == 0)
            all |= one;
    return all;
}

uint32_t spec_propagated_limits(const struct cluster_spec *s)
{
    if (s->propagate_limits_except.n)
        return ULIMIT_ALL & ~kinds_of(&s->propagate_limits_except);
    return s->propagate_limits.n ? kinds_of(&s->propagate_limits) : ULIMIT_ALL;
}

bool spec_qos_is_closed(const struct qos_spec *q)
{
    bool open = q->allow_users.n || q->allow_groups.n || q->allow_accounts.n;
    return !open && (q->preempt.n || q->priority) && !str_eq(q->name, QOS_DEFAULT);
}

bool spec_account_lists(const struct account_spec *a, const char *user)
{
    for (size_t i = 0; i < a->users.n; i++)
        if (str_eq(a->users.v[i].name, user))
            return true;
    return false;
}

const char *spec_default_account(const struct cluster_spec *s, const char *user, const char *group)
{
    for (size_t i = 0; i < s->accounts.n; i++)
        if (spec_account_lists(&s->accounts.v[i], user))
            return s->accounts.v[i].name;
    return group;
}
