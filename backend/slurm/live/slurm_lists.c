#include "backend/slurm/live/slurm_lists.h"

#include <stdlib.h>
#include <string.h>

#include "src/base/xalloc.h"

static bool lists_next_line(struct slurm_span *rest, struct slurm_span columns[static 3])
{
    while (rest->n) {
        const char *end = memchr(rest->p, '\n', rest->n);
        struct slurm_span line = {rest->p, end ? (size_t)(end - rest->p) : rest->n};
        rest->p += line.n + (end != NULL);
        rest->n -= line.n + (end != NULL);
        const char *one = memchr(line.p, '|', line.n);
        const char *two = one ? memchr(one + 1, '|', (size_t)(line.p + line.n - one - 1)) : NULL;
        if (!two)
            continue;
        columns[0] = (struct slurm_span){line.p, (size_t)(one - line.p)};
        columns[1] = (struct slurm_span){one + 1, (size_t)(two - one - 1)};
        columns[2] = (struct slurm_span){two + 1, (size_t)(line.p + line.n - two - 1)};
        return true;
    }
    return false;
}

static void lists_add_name(struct strv *names, char *take_name)
{
    if (take_name && !strv_has(names, take_name))
        strv_push_take(names, take_name);
    else
        free(take_name);
}

static void lists_read_names(const struct slurm_span *answer, struct strv *accounts, struct strv *qos)
{
    struct slurm_span rest = *answer, c[3];
    while (lists_next_line(&rest, c))
        if (c[1].n == c[0].n && memcmp(c[0].p, c[1].p, c[0].n) == 0)
            lists_add_name(accounts, slurm_text(&c[1]));
    rest = *answer;
    while (lists_next_line(&rest, c)) {
        char *list = slurm_text(&c[2]);
        struct strv names = list ? strv_split(list, ",") : (struct strv){0};
        lists_add_name(accounts, slurm_text(&c[1]));
        for (size_t i = 0; i < names.n; i++)
            lists_add_name(qos, xstrdup(names.v[i]));
        strv_fini(&names);
        free(list);
    }
}

static bool lists_are_same(const struct cluster_spec *spec, const struct strv *accounts,
                           const struct strv *qos)
{
    bool same = spec->accounts.n == accounts->n && spec->qos.n == qos->n;
    for (size_t i = 0; same && i < accounts->n; i++)
        same = str_eq(spec->accounts.v[i].name, accounts->v[i]);
    for (size_t i = 0; same && i < qos->n; i++)
        same = str_eq(spec->qos.v[i].name, qos->v[i]);
    return same;
}

bool slurm_lists_read(const struct slurm_span *answer, const char *user, struct cluster_spec *spec)
{
    struct strv accounts = {0}, qos = {0};
    lists_read_names(answer, &accounts, &qos);
    bool same = lists_are_same(spec, &accounts, &qos);
    if (!same) {
        rec_list_free(&account_spec_rec, &spec->accounts);
        rec_list_free(&qos_spec_rec, &spec->qos);
        for (size_t i = 0; i < accounts.n; i++) {
            struct account_spec *a = rec_list_push(&spec->accounts);
            a->name = xstrdup(accounts.v[i]);
            a->shares = 1;
            *rec_list_push(&a->users) = (struct account_user){.name = xstrdup(user), .shares = 1};
        }
        for (size_t i = 0; i < qos.n; i++) { /* Slurm lists those that the user may use */
            struct qos_spec *q = rec_list_push(&spec->qos);
            q->name = xstrdup(qos.v[i]);
            q->usage_factor = 1;
            strv_push(&q->allow_users, "*");
        }
    }
    strv_fini(&accounts);
    strv_fini(&qos);
    return !same;
}
