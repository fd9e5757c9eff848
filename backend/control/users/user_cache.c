#include "backend/control/users/user_cache.h"

#include <pwd.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "backend/control/users/name_service.h"
#include "src/base/idmap.h"
#include "src/base/time.h"
#include "src/base/vec.h"
#include "src/base/xalloc.h"
#include "src/os/clock.h"

#define COUNTS_NS   (60 * NS_PER_S) /* what was said */
#define REFRESH_NS  (45 * NS_PER_S) /* it is asked again: the answer comes while the one before counts */
#define AGAIN_NS    (10 * NS_PER_S) /* where there was no name, or no answer */
#define UNKNOWN_MAX 1000            /* ids more in a map: those without a name that are due are dropped */
#define THERE_MAX   4000            /* names that were asked about */

struct known_id { /* a user or a group */
    char *name;   /* its number, where none is known */
    bool named;
    struct strv groups; /* of a user */
    struct mono told;   /* when the name service last said which they are; 0: never */
    struct mono again;  /* when to ask once more */
    struct mono fresh;  /* until when its last answer counts as fresh */
    bool asked;         /* an answer is to come ... */
    bool late;          /* ... that counts as old when it comes */
    bool missed;        /* its groups were asked for before they were known */
};

struct known_name {
    char *name;
    enum user_there there;
    struct mono fresh;
};

struct user_cache {
    struct user_cache_ops ops;
    struct name_service *service;
    struct idmap users, groups; /* id + 1 -> struct known_id */
    VEC(struct known_name) names;
    char *own_home;
};

static void known_free(struct known_id *k)
{
    if (!k)
        return;
    free(k->name);
    strv_fini(&k->groups);
    free(k);
}

static struct mono known_in(int64_t ns)
{
    return (struct mono){mono_read().ns + ns};
}

static bool known_is_before(struct mono t)
{
    return mono_read().ns < t.ns;
}

/* Numbers without a name are not kept longer than they count: a node may name any. */
static void known_forget(struct idmap *map)
{
    VEC(uint64_t) due = VEC_INIT;
    idmap_for_each (map, s) {
        const struct known_id *k = s->value;
        if (!k->named && !k->asked && !known_is_before(k->fresh))
            vec_push(&due, s->id);
    }
    vec_for_each (&due, i)
        known_free(idmap_remove(map, due.v[i]));
    vec_fini(&due);
}

/* Made where there is none: a number. */
static struct known_id *known_get(struct idmap *map, uint32_t id)
{
    struct known_id *k = idmap_get(map, (uint64_t)id + 1);
    if (k)
        return k;
    if (map->n % UNKNOWN_MAX == UNKNOWN_MAX - 1)
        known_forget(map);
    k = xcalloc(1, sizeof *k);
    k->name = xasprintf("%u", id);
    idmap_set(map, (uint64_t)id + 1, k);
    return k;
}

static void known_set_name(struct known_id *k, const char *name)
{
    if (!str_eq(k->name, name))
        xstrset(&k->name, name);
    k->named = true;
}

static void known_set_groups(struct known_id *k, const struct strv *groups, bool *ret_changed)
{
    bool same = k->groups.n == groups->n;
    for (size_t i = 0; same && i < groups->n; i++)
        same = str_eq(k->groups.v[i], groups->v[i]);
    *ret_changed = k->missed ? groups->n : k->told.ns && !same;
    k->missed = false;
    if (same)
        return;
    strv_fini(&k->groups);
    k->groups = strv_copy(groups);
}

/* --- answers --- */

/* Returns whether the policy may decide otherwise now. */
static bool user_cache_take_user(struct user_cache *u, const struct name_answer *a)
{
    struct known_id *user = known_get(&u->users, a->uid), *group = known_get(&u->groups, a->gid);
    bool changed = false;
    user->again = known_in(a->name ? REFRESH_NS : AGAIN_NS);
    user->fresh = known_in(user->late ? 0 : a->name ? COUNTS_NS : AGAIN_NS);
    group->fresh = known_in(a->gid_name ? COUNTS_NS : AGAIN_NS);
    user->asked = user->late = false;
    if (a->user != NAME_FAILED) {
        known_set_groups(user, &a->groups, &changed);
        user->told = mono_read();
    }
    if (a->name)
        known_set_name(user, a->name);
    if (a->gid_name)
        known_set_name(group, a->gid_name);
    return changed;
}

static void user_cache_take_name(struct user_cache *u, const struct name_answer *a)
{
    vec_for_each (&u->names, i) {
        struct known_name *k = &u->names.v[i];
        if (!str_eq(k->name, a->asked))
            continue;
        k->fresh = known_in(a->user == NAME_FOUND ? COUNTS_NS : AGAIN_NS);
        k->there = a->user == NAME_FOUND  ? USER_THERE_YES
                   : a->user == NAME_NONE ? USER_THERE_NO
                                          : USER_THERE_UNSURE;
    }
}

static void user_cache_take(void *ctx, const struct name_answer *a)
{
    struct user_cache *u = ctx;
    bool changed = false;
    if (a->asked)
        user_cache_take_name(u, a);
    else
        changed = user_cache_take_user(u, a);
    if (u->ops.on_told)
        u->ops.on_told(u->ops.ctx, a, changed);
}

/* --- questions --- */

static struct known_id *known_user(struct user_cache *u, uint32_t uid)
{
    struct known_id *user = known_get(&u->users, uid);
    if (u->ops.name_of) {
        const char *name = u->ops.name_of(uid);
        if (name && !user->named)
            known_set_name(user, name);
    } else if (!user->asked && !known_is_before(user->again)) {
        user->asked = true;
        name_service_ask_user(u->service, uid, uid);
    }
    return user;
}

bool user_is_fresh(struct user_cache *u, uint32_t uid, uint32_t gid)
{
    struct known_id *user = known_get(&u->users, uid), *group = known_get(&u->groups, gid);
    if (u->ops.name_of)
        return true;
    bool fresh = known_is_before(user->fresh) && known_is_before(group->fresh);
    if (!user->asked && (!fresh || !known_is_before(user->again))) {
        user->asked = true;
        name_service_ask_user(u->service, uid, gid);
    }
    return uid == 0 || uid == geteuid() || fresh;
}

bool user_is_known(const struct user_cache *u, uint32_t uid)
{
    const struct known_id *user = idmap_get(&u->users, (uint64_t)uid + 1);
    return u->ops.name_of || (user && (user->asked || known_is_before(user->again)));
}

const char *user_name(struct user_cache *u, uint32_t uid)
{
    return known_user(u, uid)->name;
}

const char *group_name(struct user_cache *u, uint32_t gid)
{
    return known_get(&u->groups, gid)->name;
}

static bool known_in_groups(const struct known_id *user, const struct strv *groups)
{
    for (size_t i = 0; i < user->groups.n; i++)
        if (strv_has(groups, user->groups.v[i]))
            return true;
    return false;
}

bool user_in_groups(struct user_cache *u, uint32_t uid, const struct strv *groups)
{
    struct known_id *user = known_user(u, uid);
    user->missed = user->missed || !user->told.ns;
    return known_in_groups(user, groups);
}

char *user_name_or_null(struct user_cache *u, uint32_t uid)
{
    const struct known_id *user = known_user(u, uid);
    return user->named ? xstrdup(user->name) : NULL;
}

bool user_is_admin(struct user_cache *u, uint32_t uid, const struct strv *admin_groups)
{
    if (uid == 0 || uid == geteuid())
        return true;
    const struct known_id *user = known_user(u, uid);
    bool counts = user->told.ns && mono_read().ns - user->told.ns < COUNTS_NS;
    return counts && known_in_groups(user, admin_groups);
}

static void user_cache_forget_names(struct user_cache *u)
{
    vec_for_each (&u->names, i)
        free(u->names.v[i].name);
    vec_clear(&u->names);
}

enum user_there user_is_there(struct user_cache *u, const char *name)
{
    if (u->ops.name_of)
        return USER_THERE_YES;
    struct known_name *k = NULL;
    vec_for_each (&u->names, i)
        if (str_eq(u->names.v[i].name, name))
            k = &u->names.v[i];
    if (k && (k->there == USER_THERE_ASKED || known_is_before(k->fresh)))
        return k->there;
    if (!k) {
        if (u->names.n >= THERE_MAX && !user_cache_is_asking(u))
            user_cache_forget_names(u);
        vec_push(&u->names, (struct known_name){.name = xstrdup(name)});
        k = &u->names.v[u->names.n - 1];
    }
    k->there = USER_THERE_ASKED;
    name_service_ask_name(u->service, name);
    return USER_THERE_ASKED;
}

/* --- life --- */

static void user_cache_ask_now(struct user_cache *u, uint32_t uid, uint32_t gid)
{
    struct name_answer *a = name_service_ask_now(uid, gid);
    user_cache_take_user(u, a);
    name_answer_free(a);
}

struct user_cache *user_cache_new(struct loop *l, const struct user_cache_ops *ops)
{
    struct user_cache *u = xcalloc(1, sizeof *u);
    u->ops = *ops;
    if (ops->name_of)
        return u;
    u->service = name_service_new(l, user_cache_take, u);
    user_cache_ask_now(u, geteuid(), getegid());
    if (geteuid() != 0)
        user_cache_ask_now(u, 0, 0);
    const struct passwd *pw = getpwuid(geteuid());
    u->own_home = pw ? xstrdup(pw->pw_dir) : NULL;
    return u;
}

void user_cache_free(struct user_cache *u)
{
    struct idmap *maps[] = {&u->users, &u->groups};
    for (size_t i = 0; i < 2; i++) {
        idmap_for_each (maps[i], s)
            known_free(s->value);
        idmap_fini(maps[i]);
    }
    user_cache_forget_names(u);
    vec_fini(&u->names);
    name_service_free(u->service);
    free(u->own_home);
    free(u);
}

void user_cache_expire(struct user_cache *u)
{
    idmap_for_each (&u->users, s) {
        struct known_id *k = s->value;
        k->again = k->fresh = (struct mono){0};
        k->late = k->asked;
    }
    vec_for_each (&u->names, i)
        u->names.v[i].fresh = (struct mono){0};
}

size_t user_cache_size(const struct user_cache *u)
{
    return u->users.n;
}

bool user_cache_is_asking(const struct user_cache *u)
{
    return u->service && name_service_open(u->service) > 0;
}

const char *user_cache_own_home(const struct user_cache *u)
{
    return u->own_home ? u->own_home : "/";
}
