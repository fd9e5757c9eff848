/* user_lookup.c - a small cache before the name service: a launch must not cost a query each. */
#include "backend/node/user_lookup.h"

#include <errno.h>
#include <grp.h>
#include <pwd.h>
#include <stdlib.h>
#include <string.h>

#include "backend/loop/loop.h"
#include "src/base/xalloc.h"

#define KEPT       64
#define KEEP_NS    (60 * NS_PER_S)
#define GROUPS_MAX 65536

struct known_user {
    uint32_t uid, gid;
    char *name;
    struct blob groups;
    int64_t until_ns;
};

static struct known_user cache[KEPT];

static int user_lookup_ask(uint32_t uid, uint32_t gid, const char *name, struct blob *ret,
                           struct errtext *err)
{
    errno = 0;
    const struct passwd *pw = getpwuid(uid);
    if (!pw)
        return err_set(err, -EPERM, "identity mismatch: this node knows no user with uid %u", uid);
    if (name && strcmp(pw->pw_name, name) != 0)
        return err_set(err, -EPERM, "identity mismatch: uid %u is %s here and %s at the controller", uid,
                       pw->pw_name, name);
    int n = 64;
    gid_t *groups = xcalloc((size_t)n, sizeof *groups);
    while (getgrouplist(pw->pw_name, pw->pw_gid, groups, &n) < 0 && n <= GROUPS_MAX)
        groups = xreallocarray(groups, (size_t)n, sizeof *groups);
    if (n > GROUPS_MAX) {
        free(groups);
        return err_set(err, -EPERM, "user %s is in more than %d groups", pw->pw_name, GROUPS_MAX);
    }
    bool member = false;
    for (int i = 0; i < n; i++)
        member |= groups[i] == gid;
    if (!member) {
        free(groups);
        return err_set(err, -EPERM, "identity mismatch: user %s is not in the group with gid %u here",
                       pw->pw_name, gid);
    }
    *ret = (struct blob){.p = (uint8_t *)groups, .n = (size_t)n * sizeof(uint32_t)};
    return 0;
}

int user_lookup_groups(uint32_t uid, uint32_t gid, const char *name, const struct blob **ret,
                       struct errtext *err)
{
    struct known_user *k = &cache[uid % KEPT];
    int64_t now = mono_read().ns;
    if (k->until_ns <= now || k->uid != uid || k->gid != gid || !str_eq(k->name, name)) {
        struct blob groups;
        int r = user_lookup_ask(uid, gid, name, &groups, err);
        if (r < 0)
            return r;
        free(k->name);
        free(k->groups.p);
        *k = (struct known_user){
            .uid = uid, .gid = gid, .name = xstrdup(name), .groups = groups, .until_ns = now + KEEP_NS};
    }
    *ret = &k->groups;
    return 0;
}
