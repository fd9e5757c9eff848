/* assoc.c - associations, from the configuration or from Unix groups. */
#include "src/cli/accounting/assoc.h"

#include <grp.h>
#include <pwd.h>
#include <stdlib.h>

#include "src/base/vec.h"
#include "src/base/xalloc.h"

#define GROUPS_MAX 256 /* of a user, and numbers of each */

static uint64_t unix_id(uid_t uid, int nth)
{
    return ((uint64_t)uid + 1) * GROUPS_MAX + (uint64_t)nth;
}

static int groups_of(const char *user, gid_t primary, gid_t gids[GROUPS_MAX])
{
    int n = GROUPS_MAX;
    return getgrouplist(user, primary, gids, &n) < 0 ? GROUPS_MAX : n;
}

static void each_group(const char *user, void (*fn)(void *ctx, const struct assoc *a), void *ctx)
{
    gid_t gids[GROUPS_MAX];
    const struct passwd *pw = getpwnam(user);
    uid_t uid = pw ? pw->pw_uid : 0;
    int n = pw ? groups_of(user, pw->pw_gid, gids) : 0;
    for (int i = 0; i < n; i++) {
        const struct group *gr = getgrgid(gids[i]);
        if (gr)
            fn(ctx, &(struct assoc){.id = unix_id(uid, i),
                                    .account = gr->gr_name,
                                    .parent = "root",
                                    .user = user,
                                    .shares = 1});
    }
}

static struct strv machine_users(void)
{
    struct strv users = {0};
    setpwent();
    for (const struct passwd *pw; (pw = getpwent());)
        strv_push(&users, pw->pw_name);
    endpwent();
    return users;
}

static void each_unix(const struct strv *users, void (*fn)(void *ctx, const struct assoc *a), void *ctx)
{
    struct strv all = users->n ? strv_copy(users) : machine_users();
    for (size_t i = 0; i < all.n; i++)
        each_group(all.v[i], fn, ctx);
    strv_fini(&all);
}

void assoc_each(const struct cluster_spec *spec, const struct strv *users,
                void (*fn)(void *ctx, const struct assoc *a), void *ctx)
{
    uint64_t id = 1;
    fn(ctx, &(struct assoc){.id = id++, .account = "root", .shares = 1});
    for (size_t i = 0; i < spec->accounts.n; i++) {
        const struct account_spec *a = &spec->accounts.v[i];
        fn(ctx, &(struct assoc){.id = id++,
                                .account = a->name,
                                .parent = a->parent ? a->parent : "root",
                                .shares = a->shares});
        for (size_t k = 0; k < a->users.n; k++)
            fn(ctx, &(struct assoc){.id = id++,
                                    .account = a->name,
                                    .parent = a->parent,
                                    .user = a->users.v[k].name,
                                    .shares = a->users.v[k].shares});
    }
    if (!spec->accounts.n)
        each_unix(users, fn, ctx);
}

/* --- of jobs --- */

struct assoc_known {
    uid_t uid;
    char *account;
    uint64_t id;
};

struct assocs {
    const struct cluster_spec *spec;
    VEC(struct assoc_known) known; /* few: pairs of users and accounts */
};

struct assocs *assocs_new(const struct cluster_spec *spec)
{
    struct assocs *as = xcalloc(1, sizeof *as);
    as->spec = spec;
    return as;
}

void assocs_free(struct assocs *as)
{
    if (!as)
        return;
    vec_for_each (&as->known, i)
        free(as->known.v[i].account);
    vec_fini(&as->known);
    free(as);
}

struct wanted {
    const struct job *job;
    uint64_t id;
};

static void take_wanted(void *ctx, const struct assoc *a)
{
    struct wanted *w = ctx;
    if (!w->id && a->user && str_eq(a->user, w->job->user) && str_eq(a->account, w->job->req.account))
        w->id = a->id;
}

uint64_t assoc_of_job(struct assocs *as, const struct job *j)
{
    vec_for_each (&as->known, i)
        if (as->known.v[i].uid == j->uid && str_eq(as->known.v[i].account, j->req.account))
            return as->known.v[i].id;
    struct wanted w = {.job = j};
    struct strv user = {0};
    if (j->user)
        strv_push(&user, j->user);
    if (user.n)
        assoc_each(as->spec, &user, take_wanted, &w);
    strv_fini(&user);
    vec_push(&as->known,
             (struct assoc_known){.uid = j->uid, .account = xstrdup(j->req.account), .id = w.id});
    return w.id;
}
