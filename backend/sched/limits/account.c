/* account.c - accounts and QOS of a submission against the configuration. */
#include "backend/sched/limits/account.h"

#include "src/base/xalloc.h"

static enum refusal account_refuse(enum refusal refusal, struct cause *why, enum cause_code code,
                                   const char *name, const char *user)
{
    if (cause_set(why, code)) {
        why->name = xstrdup(name);
        why->user = user ? xstrdup(user) : NULL;
    }
    return refusal;
}

static bool account_is_in_group(const struct sched_view *v, uint32_t uid, const char *group)
{
    struct strv one = {0};
    strv_push(&one, group);
    bool is_in = v->in_groups && v->in_groups(v->ctx, uid, &one);
    strv_fini(&one);
    return is_in;
}

/* Several entries may have the name. */
static enum refusal account_check_listed(const struct cluster_spec *spec, const struct submitter *by,
                                         const char *account, struct cause *why)
{
    bool exists = false;
    for (size_t i = 0; i < spec->accounts.n; i++) {
        const struct account_spec *a = &spec->accounts.v[i];
        exists = exists || str_eq(a->name, account);
        if (str_eq(a->name, account) && spec_account_lists(a, by->user))
            return REFUSAL_NONE;
    }
    if (!exists && str_eq(account, spec_default_account(spec, by->user, by->group)))
        return REFUSAL_NONE;
    return account_refuse(REFUSAL_NO_ACCOUNT, why, exists ? CAUSE_ACCOUNT_USER : CAUSE_NO_ACCOUNT, account,
                          by->user);
}

static enum refusal account_check_group(const struct sched_view *v, const struct submitter *by,
                                        const char *account, struct cause *why)
{
    if (by->is_admin || by->is_simulated || str_eq(account, by->group) ||
        account_is_in_group(v, by->uid, account))
        return REFUSAL_NONE;
    return account_refuse(REFUSAL_NO_ACCOUNT, why, CAUSE_ACCOUNT_GROUP, account, by->user);
}

static enum refusal account_check_qos(const struct sched_view *v, const struct submitter *by,
                                      const char *account, const char *name, struct cause *why)
{
    const struct qos_spec *q = spec_find_qos(&v->model->spec, name);
    if (!q && !str_eq(name, QOS_DEFAULT))
        return account_refuse(REFUSAL_NO_QOS, why, CAUSE_NO_QOS, name, NULL);
    if (!q || by->is_admin || by->is_simulated)
        return REFUSAL_NONE;
    if (spec_qos_is_closed(q))
        return account_refuse(REFUSAL_NO_QOS, why, CAUSE_QOS_CLOSED, name, NULL);
    bool restricted = q->allow_users.n || q->allow_groups.n || q->allow_accounts.n;
    bool admitted = strv_has(&q->allow_users, "*") || (by->user && strv_has(&q->allow_users, by->user)) ||
                    (account && strv_has(&q->allow_accounts, account)) ||
                    (q->allow_groups.n && v->in_groups && v->in_groups(v->ctx, by->uid, &q->allow_groups));
    if (!restricted || admitted)
        return REFUSAL_NONE;
    return account_refuse(REFUSAL_NO_QOS, why, CAUSE_QOS_USER, name, by->user);
}

enum refusal account_check(const struct sched_view *v, const struct submitter *by, const char *account,
                           const char *qos, struct cause *why)
{
    const struct cluster_spec *spec = &v->model->spec;
    enum refusal r = REFUSAL_NONE;
    if (!str_is_empty(account))
        r = spec->accounts.n ? account_check_listed(spec, by, account, why)
                             : account_check_group(v, by, account, why);
    return r == REFUSAL_NONE ? account_check_qos(v, by, account, str_is_empty(qos) ? QOS_DEFAULT : qos, why)
                             : r;
}
