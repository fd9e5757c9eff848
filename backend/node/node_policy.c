/* Lines of "name = value"; '#' begins a comment.
 *
 *     allow_root = no          min_uid = 1000          max_tasks = 200
 *     users = alice,bob        groups = gpu,staff        workdirs = /home,/scratch
 *     spool_max = 1G           close_gpus = yes          max_processes = 5000
 *     spool_user_max = 4G      deny_groups = docker,sudo
 */
#include "backend/node/node_policy.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "src/base/xalloc.h"
#include "src/os/dirs.h"
#include "src/values/units.h"

#define POLICY_MAX    65536
#define SPOOL_MAX_MIB 1024

void node_policy_fini(struct node_policy *p)
{
    strv_fini(&p->users);
    strv_fini(&p->groups);
    strv_fini(&p->workdirs);
    vec_fini(&p->gids);
    vec_fini(&p->denied);
}

/* Looked up here, once: a launch must not wait for a name service. */
static int policy_find_group(const char *name, uint32_t *ret, struct errtext *err)
{
    const struct group *gr = getgrnam(name);
    if (!gr)
        return err_set(err, -EINVAL, "this machine knows no group %s", name);
    *ret = gr->gr_gid;
    return 0;
}

static int take_groups(struct node_policy *p, const char *value, struct errtext *err)
{
    strv_fini(&p->groups);
    p->groups = strv_split(value, ", ");
    vec_clear(&p->gids);
    int r = 0;
    for (size_t i = 0; r == 0 && i < p->groups.n; i++) {
        uint32_t gid = 0;
        r = policy_find_group(p->groups.v[i], &gid, err);
        if (r == 0)
            vec_push(&p->gids, gid);
    }
    return r;
}

static int take_denied(struct node_policy *p, const char *value, struct errtext *err)
{
    struct strv names = strv_split(value, ", ");
    vec_clear(&p->denied);
    int r = 0;
    for (size_t i = 0; r == 0 && i < names.n; i++) {
        uint32_t gid = 0;
        r = policy_find_group(names.v[i], &gid, err);
        if (r == 0)
            vec_push(&p->denied, gid);
    }
    strv_fini(&names);
    return r;
}

/* Each by its name and where that leads: a working directory may be named either way. */
static void take_workdirs(struct node_policy *p, const char *value)
{
    strv_fini(&p->workdirs);
    p->workdirs = strv_split(value, ", ");
    for (size_t i = 0, n = p->workdirs.n; i < n; i++) {
        char *real = realpath(p->workdirs.v[i], NULL);
        if (real && !strv_has(&p->workdirs, real))
            strv_push(&p->workdirs, real);
        free(real);
    }
}

static int policy_take(struct node_policy *p, const char *name, const char *value, struct errtext *err)
{
    int64_t n;
    int r = 0;
    if (strcmp(name, "allow_root") == 0) {
        if (strcmp(value, "yes") != 0 && strcmp(value, "no") != 0)
            return err_set(err, -EINVAL, "allow_root is yes or no, not \"%s\"", value);
        p->allow_root = value[0] == 'y';
    } else if (strcmp(name, "close_gpus") == 0) {
        if (strcmp(value, "yes") != 0 && strcmp(value, "no") != 0)
            return err_set(err, -EINVAL, "close_gpus is yes or no, not \"%s\"", value);
        p->close_gpus = value[0] == 'y' ? CLOSE_GPUS_YES : CLOSE_GPUS_NO;
    } else if (strcmp(name, "min_uid") == 0) {
        r = int_parse(value, 0, UINT32_MAX, &n, err);
        if (r == 0)
            p->min_uid = (uint32_t)n;
    } else if (strcmp(name, "max_tasks") == 0) {
        r = int_parse(value, 1, 1000000, &n, err);
        if (r == 0)
            p->max_tasks = (uint32_t)n;
    } else if (strcmp(name, "max_processes") == 0) {
        r = int_parse(value, 1, INT32_MAX, &n, err);
        if (r == 0)
            p->max_processes = (uint64_t)n;
    } else if (strcmp(name, "spool_max") == 0) {
        r = mem_parse_mib(value, &p->spool_max_mib, err);
        if (r == 0 && !p->spool_max_mib)
            r = err_set(err, -EINVAL, "spool_max is at least 1M");
    } else if (strcmp(name, "spool_user_max") == 0) {
        r = mem_parse_mib(value, &p->spool_user_max_mib, err);
        if (r == 0 && !p->spool_user_max_mib)
            r = err_set(err, -EINVAL, "spool_user_max is at least 1M");
    } else if (strcmp(name, "users") == 0) {
        strv_fini(&p->users);
        p->users = strv_split(value, ", ");
    } else if (strcmp(name, "groups") == 0) {
        r = take_groups(p, value, err);
    } else if (strcmp(name, "workdirs") == 0) {
        take_workdirs(p, value);
    } else if (strcmp(name, "deny_groups") == 0) {
        r = take_denied(p, value, err);
    } else {
        return err_set(err, -EINVAL,
                       "unknown name \"%s\" (allow_root, min_uid, max_tasks, max_processes, users, groups, "
                       "deny_groups, workdirs, spool_max, spool_user_max, close_gpus)",
                       name);
    }
    return r;
}

/* A file that others may write to would be no policy of the owner's. */
static int policy_open_file(int dir_fd, const char *name, struct errtext *err)
{
    int fd = openat(dir_fd, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
    if (fd < 0)
        return errno == ENOENT ? -ENOENT : err_set(err, -errno, "policy: %s", strerror(errno));
    struct stat st;
    int r = fstat(fd, &st) < 0 ? err_set(err, -errno, "policy: %s", strerror(errno)) : 0;
    if (r == 0 && ((st.st_uid != 0 && st.st_uid != geteuid()) || (st.st_mode & 022)))
        r = err_set(err, -EPERM, "policy: others than its owner may write to it");
    if (r < 0)
        close(fd);
    return r < 0 ? r : fd;
}

/* Every directory above path belongs to root or us, and no other user may replace it. */
static int check_above(const char *path, struct errtext *err)
{
    char *dir = xstrdup(path);
    int r = *path == '/' ? 0 : err_set(err, -EINVAL, "policy: %s is not an absolute path", path);
    for (char *slash; r == 0 && (slash = strrchr(dir, '/'));) {
        struct stat st;
        slash[slash == dir] = '\0';
        if (lstat(dir, &st) < 0)
            r = err_set(err, -errno, "policy: %s: %s", dir, strerror(errno));
        else if (!S_ISDIR(st.st_mode) || (st.st_uid != 0 && st.st_uid != geteuid()) ||
                 ((st.st_mode & 022) && !(st.st_mode & S_ISVTX)))
            r = err_set(err, -EPERM, "policy: others than root may change what is in %s", dir);
        if (slash == dir)
            break;
    }
    free(dir);
    return r;
}

int node_policy_open(int dir_fd, const char *path, struct errtext *err)
{
    int r = path ? check_above(path, err) : 0;
    r = r ? r : policy_open_file(path ? AT_FDCWD : dir_fd, path ? path : "policy", err);
    if (path && r == -ENOENT) /* one that was asked for is not left out */
        r = err_set(err, -EINVAL, "policy: %s is not there", path);
    return r;
}

int node_policy_read(struct node_policy *p, int fd, bool given, struct errtext *err)
{
    *p =
        (struct node_policy){.allow_root = !given, .max_tasks = UINT32_MAX, .spool_max_mib = SPOOL_MAX_MIB};
    if (fd < 0)
        return 0;
    char *text = malloc(POLICY_MAX);
    if (!text)
        return err_set(err, -ENOMEM, "no memory");
    ssize_t n = pread(fd, text, POLICY_MAX - 1, 0);
    int r = n < 0 ? err_set(err, -errno, "policy: %s", strerror(errno)) : 0;
    text[n < 0 ? 0 : n] = '\0';
    unsigned line_no = 0;
    for (char *line = text, *next; r == 0 && line; line = next) {
        next = strchr(line, '\n');
        if (next)
            *next++ = '\0';
        line_no++;
        line[strcspn(line, "#")] = '\0';
        char *name = str_trim(line), *eq = strchr(name, '=');
        if (!*name)
            continue;
        if (!eq) {
            r = err_set(err, -EINVAL, "policy:%u: not \"name = value\"", line_no);
            break;
        }
        *eq = '\0';
        r = policy_take(p, str_trim(name), str_trim(eq + 1), err);
        if (r < 0)
            err_prefix(err, r, "policy:%u", line_no);
    }
    free(text);
    if (r < 0)
        node_policy_fini(p);
    return r;
}

int node_policy_load(struct node_policy *p, int dir_fd, const char *path, struct errtext *err)
{
    int fd = node_policy_open(dir_fd, path, err);
    int r = fd < 0 && fd != -ENOENT ? fd : node_policy_read(p, fd, path != NULL, err);
    if (fd >= 0)
        close(fd);
    return r;
}

static bool policy_has_any(const struct blob *groups, const uint32_t *gids, size_t n)
{
    for (size_t at = 0; groups && at + sizeof(uint32_t) <= groups->n; at += sizeof(uint32_t)) {
        uint32_t gid = 0;
        memcpy(&gid, groups->p + at, sizeof gid);
        for (size_t i = 0; i < n; i++)
            if (gids[i] == gid)
                return true;
    }
    return false;
}

static bool policy_admits(const struct node_policy *p, const char *user, const struct blob *groups)
{
    if (!p->users.n && !p->groups.n)
        return true;
    if (user && strv_has(&p->users, user))
        return true;
    return policy_has_any(groups, p->gids.v, p->gids.n);
}

int node_policy_check(const struct node_policy *p, const struct launch *l, unsigned n_live,
                      const struct blob *groups, struct errtext *err)
{
    if (l->uid == 0 && !p->allow_root)
        return err_set(err, -EPERM, "this node's policy runs nothing as root");
    if (l->uid != 0 && l->uid < p->min_uid)
        return err_set(err, -EPERM, "this node's policy runs nothing below uid %u", p->min_uid);
    if (!policy_admits(p, l->user, groups))
        return err_set(err, -EPERM, "this node's policy does not admit user %s", l->user ? l->user : "?");
    struct blob own = {.p = (uint8_t *)(uintptr_t)&l->gid, .n = sizeof l->gid};
    if (policy_has_any(groups, p->denied.v, p->denied.n) || policy_has_any(&own, p->denied.v, p->denied.n))
        return err_set(err, -EPERM, "this node's policy denies a group of user %s",
                       l->user ? l->user : "?");
    if (n_live >= p->max_tasks)
        return err_set(err, -EAGAIN, "this node's policy allows %u tasks at a time", p->max_tasks);
    bool ok = p->workdirs.n == 0;
    for (size_t i = 0; !ok && i < p->workdirs.n; i++)
        ok = l->workdir && dirs_is_below(l->workdir, p->workdirs.v[i]);
    return ok ? 0
              : err_set(err, -EPERM, "this node's policy allows no work in %s",
                        l->workdir ? l->workdir : "?");
}
