#include "backend/control/user_cache.h"

#include <grp.h>
#include <pwd.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "backend/loop/loop.h"
#include "src/base/idmap.h"
#include "src/base/time.h"
#include "src/base/vec.h"
#include "src/base/xalloc.h"

#define GROUPS_MAX  1024
#define AGAIN_NS    (10 * NS_PER_S)
#define UNKNOWN_MAX 1000 /* ids more in a map: those without a name that are due are dropped */

struct known_id { /* a user or a group */
    char *name;   /* its number, where the name service knows none */
    gid_t *gids;
    int n;
    struct mono again; /* when to ask once more; 0: never */
};

struct user_cache {
    const char *(*name_of)(uint32_t uid); /* NULL: the name service */
    struct idmap users, groups;           /* id + 1 -> struct known_id */
};

struct user_cache *user_cache_new(const char *(*name_of)(uint32_t uid))
{
    struct user_cache *u = xcalloc(1, sizeof *u);
    u->name_of = name_of;
    return u;
}

static void known_free(struct known_id *k)
{
    if (!k)
        return;
    free(k->name);
    free(k->gids);
    free(k);
}

void user_cache_free(struct user_cache *u)
{
    struct idmap *maps[] = {&u->users, &u->groups};
    for (size_t i = 0; i < 2; i++) {
        idmap_for_each (maps[i], s)
            known_free(s->value);
        idmap_fini(maps[i]);
    }
    free(u);
}

size_t user_cache_size(const struct user_cache *u)
{
    return u->users.n;
}

static bool known_is_due(const struct known_id *k)
{
    return k->again.ns && mono_read().ns >= k->again.ns;
}

/* Numbers without a name are not kept longer than they count: a node may name any. Those that still count
 * may be in use by a caller. */
static void known_forget(struct idmap *map)
{
    VEC(uint64_t) due = VEC_INIT;
    idmap_for_each (map, s)
        if (known_is_due(s->value))
            vec_push(&due, s->id);
    vec_for_each (&due, i)
        known_free(idmap_remove(map, due.v[i]));
    vec_fini(&due);
}

/* name: NULL where there is none. */
static struct known_id *known_keep(struct idmap *map, uint32_t id, const char *name)
{
    if (!name && map->n % UNKNOWN_MAX == UNKNOWN_MAX - 1)
        known_forget(map);
    struct known_id *k = xcalloc(1, sizeof *k);
    k->name = name ? xstrdup(name) : xasprintf("%u", id);
    k->again.ns = name ? 0 : mono_read().ns + AGAIN_NS;
    known_free(idmap_get(map, (uint64_t)id + 1));
    idmap_set(map, (uint64_t)id + 1, k);
    return k;
}

static struct known_id *known_user(struct user_cache *u, uint32_t uid)
{
    struct known_id *user = idmap_get(&u->users, (uint64_t)uid + 1);
    if (user && !known_is_due(user))
        return user;
    if (u->name_of)
        return known_keep(&u->users, uid, u->name_of(uid));
    const struct passwd *pw = getpwuid(uid);
    user = known_keep(&u->users, uid, pw ? pw->pw_name : NULL);
    if (pw) {
        user->n = GROUPS_MAX;
        user->gids = xcalloc(GROUPS_MAX, sizeof *user->gids);
        if (getgrouplist(user->name, pw->pw_gid, user->gids, &user->n) < 0)
            user->n = GROUPS_MAX;
    }
    return user;
}

bool user_is_known(const struct user_cache *u, uint32_t uid)
{
    const struct known_id *user = idmap_get(&u->users, (uint64_t)uid + 1);
    return u->name_of || (user && !known_is_due(user));
}

const char *user_name(struct user_cache *u, uint32_t uid)
{
    return known_user(u, uid)->name;
}

const char *group_name(struct user_cache *u, uint32_t gid)
{
    struct known_id *group = idmap_get(&u->groups, (uint64_t)gid + 1);
    if (!group || known_is_due(group)) {
        const struct group *gr = u->name_of ? NULL : getgrgid(gid);
        group = known_keep(&u->groups, gid, gr ? gr->gr_name : NULL);
    }
    return group->name;
}

bool user_is_there(const char *name)
{
    return getpwnam(name) != NULL;
}

bool user_in_groups(struct user_cache *u, uint32_t uid, const struct strv *groups)
{
    const struct known_id *user = known_user(u, uid);
    for (int i = 0; i < user->n; i++)
        if (strv_has(groups, group_name(u, user->gids[i])))
            return true;
    return false;
}

char *user_name_or_null(struct user_cache *u, uint32_t uid)
{
    const char *name = user_name(u, uid);
    return name[strspn(name, "0123456789")] ? xstrdup(name) : NULL;
}

bool user_is_admin(struct user_cache *u, uint32_t uid, const struct strv *admin_groups)
{
    return uid == 0 || uid == geteuid() || user_in_groups(u, uid, admin_groups);
}
