/* account.c - accounts and QOS of a submission against the configuration. */
#include "backend/sched/limits/account.h"

#include "src/base/xalloc.h"

static enum refusal account_check_account(const struct cluster_spec *spec, const char *user,
                                          const char *group, const char *account, struct cause *why)
{
    bool exists = false;
    for (size_t i = 0; i < spec->accounts.n; i++) {
        const struct account_spec *a = &spec->accounts.v[i];
        exists = exists || str_eq(a->name, account);
        if (str_eq(a->name, account) && spec_account_lists(a, user))
            return REFUSAL_NONE;
    }
    if (str_eq(account, spec_default_account(spec, user, group)))
        return REFUSAL_NONE;
    if (cause_set(why, exists ? CAUSE_ACCOUNT_USER : CAUSE_NO_ACCOUNT)) {
        why->name = xstrdup(account);
        why->user = xstrdup(user);
    }
    return REFUSAL_NO_ACCOUNT;
}

enum refusal account_check(const struct cluster_spec *spec, const char *user, const char *group,
                           const char *account, const char *qos, struct cause *why)
{
    enum refusal r = REFUSAL_NONE;
    if (!str_is_empty(account) && spec->accounts.n)
        r = account_check_account(spec, user, group, account, why);
    bool known = str_is_empty(qos) || str_eq(qos, QOS_DEFAULT) || spec_find_qos(spec, qos);
    if (r != REFUSAL_NONE || known)
        return r;
    if (cause_set(why, CAUSE_NO_QOS))
        why->name = xstrdup(qos);
    return REFUSAL_NO_QOS;
}
