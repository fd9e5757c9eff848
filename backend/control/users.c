/* users.c - names and group memberships of uids, looked up once each. */
#include <grp.h>
#include <pwd.h>
#include <stdlib.h>

#include "backend/control/private.h"

#define GROUPS_MAX 1024

struct user {
    char *name;
    gid_t *gids;
    int n;
};

struct user_cache {
    struct idmap users;  /* uid + 1 -> struct user */
    struct idmap groups; /* gid + 1 -> char * */
};

struct user_cache *user_cache_new(void)
{
    return xcalloc(1, sizeof(struct user_cache));
}

void user_cache_free(struct user_cache *u)
{
    idmap_for_each (&u->users, s) {
        struct user *user = s->value;
        free(user->name);
        free(user->gids);
        free(user);
    }
    idmap_for_each (&u->groups, s)
        free(s->value);
    idmap_fini(&u->users);
    idmap_fini(&u->groups);
    free(u);
}

static struct user *get_user(struct user_cache *u, uint32_t uid)
{
    struct user *user = idmap_get(&u->users, (uint64_t)uid + 1);
    if (user)
        return user;
    user = xcalloc(1, sizeof *user);
    const struct passwd *pw = getpwuid(uid);
    user->name = pw ? xstrdup(pw->pw_name) : xasprintf("%u", uid);
    if (pw) {
        user->n = GROUPS_MAX;
        user->gids = xcalloc(GROUPS_MAX, sizeof *user->gids);
        if (getgrouplist(pw->pw_name, pw->pw_gid, user->gids, &user->n) < 0)
            user->n = GROUPS_MAX;
    }
    idmap_set(&u->users, (uint64_t)uid + 1, user);
    return user;
}

const char *user_name(struct user_cache *u, uint32_t uid)
{
    return get_user(u, uid)->name;
}

const char *group_name(struct user_cache *u, uint32_t gid)
{
    char *name = idmap_get(&u->groups, (uint64_t)gid + 1);
    if (!name) {
        const struct group *gr = getgrgid(gid);
        name = gr ? xstrdup(gr->gr_name) : xasprintf("%u", gid);
        idmap_set(&u->groups, (uint64_t)gid + 1, name);
    }
    return name;
}

bool user_in_groups(struct user_cache *u, uint32_t uid, const struct strv *groups)
{
    const struct user *user = get_user(u, uid);
    for (int i = 0; i < user->n; i++)
        if (strv_has(groups, group_name(u, user->gids[i])))
            return true;
    return false;
}
