#include "src/os/privdrop.h"

#include <errno.h>
#include <grp.h>
#include <pwd.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

int privdrop_to_uid(uid_t uid, struct errtext *err)
{
    if (geteuid() == uid && getuid() == uid)
        return 0;
    const struct passwd *pw = getpwuid(uid);
    if (!pw)
        return err_set(err, -ENOENT, "there is no user with uid %u", (unsigned)uid);
    gid_t gid = pw->pw_gid;
    if (initgroups(pw->pw_name, gid) < 0 || setresgid(gid, gid, gid) < 0 || setresuid(uid, uid, uid) < 0)
        return err_set(err, -errno, "cannot become %s: %s", pw->pw_name, strerror(errno));
    uid_t r, e, s;
    gid_t rg, eg, sg;
    if (getresuid(&r, &e, &s) < 0 || getresgid(&rg, &eg, &sg) < 0 || r != uid || e != uid || s != uid ||
        rg != gid || eg != gid || sg != gid || (uid != 0 && setuid(0) == 0))
        return err_set(err, -EPERM, "cannot become %s: the system says so and does not do it", pw->pw_name);
    return 0;
}

int privdrop_to_owner(const char *path, struct errtext *err)
{
    struct stat st;
    if (geteuid() != 0)
        return 0;
    if (stat(path, &st) < 0)
        return err_set(err, -errno, "%s: %s", path, strerror(errno));
    return st.st_uid == 0 ? 0 : privdrop_to_uid(st.st_uid, err);
}

int privdrop_find_user(const char *text, uid_t *ret_uid, gid_t *ret_gid, struct errtext *err)
{
    char *end;
    unsigned long n = strtoul(text, &end, 10);
    const struct passwd *pw = *text && !*end ? getpwuid((uid_t)n) : getpwnam(text);
    if (!pw)
        return err_set(err, -ENOENT, "there is no user %s", text);
    *ret_uid = pw->pw_uid;
    *ret_gid = pw->pw_gid;
    return 0;
}
