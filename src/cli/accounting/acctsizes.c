/* acctsizes.c - sacct -i, -I, -k, -K, -g, -x. */
#include "src/cli/accounting/acctsizes.h"

#include <errno.h>
#include <grp.h>
#include <stdlib.h>
#include <string.h>

#include "src/base/xalloc.h"
#include "src/model/jobeffective.h"
#include "src/values/units.h"

void acct_sizes_init(struct acct_sizes *z)
{
    *z = (struct acct_sizes){.groups = VEC_INIT,
                             .assocs = VEC_INIT,
                             .limit_min_s = DURATION_NOT_SET,
                             .limit_max_s = DURATION_NOT_SET};
}

void acct_sizes_fini(struct acct_sizes *z)
{
    vec_fini(&z->groups);
    vec_fini(&z->assocs);
}

int acct_sizes_set_range(uint32_t *min, uint32_t *max, const char *what, const char *arg,
                         struct errtext *err)
{
    char *text = xstrdup(arg), *dash = strchr(text, '-');
    int64_t from = 0, to = 0;
    if (dash)
        *dash++ = '\0';
    int r = int_parse(text, 1, UINT32_MAX - 1, &from, NULL);
    r = r || !dash ? r : int_parse(dash, from, UINT32_MAX - 1, &to, NULL);
    free(text);
    if (r < 0)
        return err_set(err, -EINVAL, "Invalid numeric value \"%s\" for requested %s range.", arg, what);
    *min = (uint32_t)from;
    *max = (uint32_t)(to ? to : from);
    return 0;
}

int acct_sizes_set_limit(uint32_t *at, const char *arg, struct errtext *err)
{
    if (duration_parse_slurm(arg, at, NULL) < 0)
        return err_set(err, -EINVAL, "Invalid time limit specification");
    return 0;
}

int acct_sizes_set_groups(struct acct_sizes *z, const char *arg, struct errtext *err)
{
    struct strv words = strv_split(arg, ",");
    int r = 0;
    vec_clear(&z->groups);
    for (size_t i = 0; i < words.n && r == 0; i++) {
        const struct group *g = getgrnam(words.v[i]);
        int64_t gid = g ? g->gr_gid : 0;
        if (!g && int_parse(words.v[i], 0, UINT32_MAX - 1, &gid, NULL) < 0)
            r = err_set(err, -EINVAL, "Invalid group id: %s", words.v[i]);
        else
            vec_push(&z->groups, (gid_t)gid);
    }
    strv_fini(&words);
    return r;
}

int acct_sizes_set_assocs(struct acct_sizes *z, const char *arg, struct errtext *err)
{
    struct strv words = strv_split(arg, ",");
    int r = words.n ? 0 : err_set(err, -EINVAL, "Invalid association id: %s", arg);
    vec_clear(&z->assocs);
    for (size_t i = 0; i < words.n && r == 0; i++) {
        int64_t id;
        if (int_parse(words.v[i], 1, INT64_MAX, &id, NULL) < 0)
            r = err_set(err, -EINVAL, "Invalid association id: %s", words.v[i]);
        else
            vec_push(&z->assocs, (uint64_t)id);
    }
    strv_fini(&words);
    return r;
}

static bool takes_group(const struct acct_sizes *z, const struct job *j)
{
    bool takes = !z->groups.n;
    for (size_t i = 0; i < z->groups.n && !takes; i++)
        takes = z->groups.v[i] == job_origin(j)->gid;
    return takes;
}

static bool takes_assoc(const struct acct_sizes *z, const struct job *j, struct assocs *as)
{
    bool takes = !z->assocs.n;
    for (size_t i = 0; i < z->assocs.n && !takes; i++)
        takes = z->assocs.v[i] == assoc_of_job(as, j);
    return takes;
}

bool acct_sizes_take(const struct acct_sizes *z, const struct job *j, const struct model *m,
                     struct assocs *as)
{
    uint32_t limit = job_limit_s(j, m);
    if (!takes_group(z, j) || !takes_assoc(z, j, as))
        return false;
    if (z->nodes_min && (job_nodes(j) < z->nodes_min || job_nodes(j) > z->nodes_max))
        return false;
    if (z->cpus_min && (job_cpus(j) < z->cpus_min || job_cpus(j) > z->cpus_max))
        return false;
    if (z->limit_max_s != DURATION_NOT_SET)
        return limit <= z->limit_max_s && (z->limit_min_s == DURATION_NOT_SET || limit >= z->limit_min_s);
    return z->limit_min_s == DURATION_NOT_SET || limit == z->limit_min_s;
}
