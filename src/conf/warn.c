/* warn.c - what a configuration says without effect. */
#include "src/conf/warn.h"

#include "src/base/xalloc.h"
#include "src/lang/lang.h"

static bool warn_admits(const struct part_spec *p, const struct qos_spec *q)
{
    return (!p->allow_qos.n || strv_has(&p->allow_qos, q->name)) && !strv_has(&p->deny_qos, q->name);
}

static bool share_nodes(const struct part_spec *a, const struct part_spec *b)
{
    for (size_t i = 0; i < a->nodes.n; i++)
        if (strv_has(&b->nodes, a->nodes.v[i]))
            return true;
    return false;
}

/* The tier of a partition counts before the QOS. One sentence for the rule: the first pair of partitions,
 * and how many more there are. */
static void warn_of_tiers(const struct cluster_spec *s, const struct qos_spec *by,
                          const struct qos_spec *its, struct strv *ret)
{
    const struct part_spec *low = NULL, *high = NULL;
    unsigned n = 0;
    for (size_t i = 0; i < s->parts.n; i++)
        for (size_t k = 0; k < s->parts.n; k++) {
            const struct part_spec *a = &s->parts.v[i], *b = &s->parts.v[k];
            if (a->priority_tier < b->priority_tier && warn_admits(a, by) && warn_admits(b, its) &&
                share_nodes(a, b) && !n++) {
                low = a;
                high = b;
            }
        }
    if (!n)
        return;
    struct str b = STR_INIT;
    str_appendf(&b,
                tr("QOS \"%s\" preempts \"%s\", but partition \"%s\" (tier %u) comes before "
                   "\"%s\" (tier %u): a job of QOS %s in %s preempts no job of QOS %s in %s"),
                by->name, its->name, high->name, high->priority_tier, low->name, low->priority_tier,
                by->name, low->name, its->name, high->name);
    if (n > 1)
        str_appendf(&b,
                    trn(" (and %u more pair of partitions)", " (and %u more pairs of partitions)", n - 1),
                    n - 1);
    strv_push_take(ret, str_take(&b));
}

static void warn_of_closed_qos(const struct qos_spec *q, struct strv *ret)
{
    if (spec_qos_is_closed(q))
        strv_push_take(ret,
                       xasprintf(q->preempt.n
                                     ? tr("only administrators may use QOS \"%s\", because it preempts "
                                          "jobs and names no users: set allow_users, allow_groups or "
                                          "allow_accounts (allow_users = [\"*\"]: all users)")
                                     : tr("only administrators may use QOS \"%s\", because it adds "
                                          "priority and names no users: set allow_users, allow_groups or "
                                          "allow_accounts (allow_users = [\"*\"]: all users)"),
                                 q->name));
}

void conf_warnings(const struct cluster_spec *s, struct strv *ret)
{
    for (size_t i = 0; i < s->qos.n; i++)
        warn_of_closed_qos(&s->qos.v[i], ret);
    for (size_t i = 0; i < s->qos.n; i++)
        for (size_t k = 0; k < s->qos.v[i].preempt.n; k++) {
            const struct qos_spec *its = spec_find_qos(s, s->qos.v[i].preempt.v[k]);
            if (its)
                warn_of_tiers(s, &s->qos.v[i], its, ret);
        }
}
