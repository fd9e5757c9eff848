#include "backend/rights/agent_dir.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "src/base/xalloc.h"
#include "src/os/dirs.h"
#include "src/os/exe_path.h"
#include "src/os/log.h"

#define LOCK_NAME "lock"
#define TRY_MS    20

static int agent_dir_look(struct agent_dir *d, const char *path, struct stat *st, struct errtext *err)
{
    d->path = realpath(path, NULL);
    d->fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (!d->path || d->fd < 0 || fstat(d->fd, st) < 0)
        return err_set(err, -errno, "cannot open %s: %s", path, strerror(errno));
    return 0;
}

static int agent_dir_look_at_tasks(struct agent_dir *d, struct errtext *err)
{
    d->tasks_fd = openat(d->fd, "tasks", O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
    d->tasks_path = xasprintf("%s/tasks", d->path);
    return d->tasks_fd < 0 ? err_set(err, -errno, "cannot open %s: %s", d->tasks_path, strerror(errno)) : 0;
}

static int agent_dir_make(struct agent_dir *d, const char *path, bool root, struct errtext *err)
{
    mode_t mode = root ? 0711 : 0700;
    struct stat st;
    dirs_above(path, 0755);
    if (mkdir(path, mode) < 0 && errno != EEXIST)
        return err_set(err, -errno, "cannot make %s: %s", path, strerror(errno));
    int r = agent_dir_look(d, path, &st, err);
    if (r < 0)
        return r;
    if (st.st_uid != geteuid())
        return err_set(err, -EPERM, "%s belongs to another user", d->path);
    if (mkdirat(d->fd, "tasks", mode) < 0 && errno != EEXIST)
        return err_set(err, -errno, "cannot make %s/tasks: %s", d->path, strerror(errno));
    return agent_dir_look_at_tasks(d, err);
}

static int agent_dir_lock(struct agent_dir *d, int tries, struct errtext *err)
{
    /* Not by one call that makes or opens it: the kernel may refuse that of another's file in a directory
     * where several may make files. */
    d->lock_fd = openat(d->fd, LOCK_NAME, O_RDWR | O_CLOEXEC | O_NOFOLLOW);
    if (d->lock_fd < 0 && errno == ENOENT)
        d->lock_fd = openat(d->fd, LOCK_NAME, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (d->lock_fd < 0 && errno == EEXIST)
        d->lock_fd = openat(d->fd, LOCK_NAME, O_RDWR | O_CLOEXEC | O_NOFOLLOW);
    if (d->lock_fd < 0)
        return err_set(err, -errno, "cannot open %s/lock: %s", d->path, strerror(errno));
    int r = flock(d->lock_fd, LOCK_EX | LOCK_NB);
    for (int i = 0; r < 0 && errno == EWOULDBLOCK && i < tries; i++) {
        poll(NULL, 0, TRY_MS);
        r = flock(d->lock_fd, LOCK_EX | LOCK_NB);
    }
    if (r < 0)
        return err_set(err, errno == EWOULDBLOCK ? -EEXIST : -errno, "an agent runs already in %s",
                       d->path);
    char *program = exe_path();
    if (ftruncate(d->lock_fd, 0) == 0) /* a bridge of another release reads it */
        dprintf(d->lock_fd, "%d\n%s\n", (int)getpid(), program ? program : "");
    free(program);
    return 0;
}

int agent_dir_open(struct agent_dir *d, const char *path, bool root, int wait_ms, struct errtext *err)
{
    int r = agent_dir_make(d, path, root, err);
    r = r ? r : agent_dir_lock(d, wait_ms / TRY_MS, err);
    mode_t mode = root ? 0711 : 0700;
    if (r == 0 && (fchmod(d->fd, mode) < 0 || fchmod(d->tasks_fd, mode) < 0))
        r = err_set(err, -errno, "cannot protect %s: %s", d->path, strerror(errno));
    return r;
}

int agent_dir_open_given(struct agent_dir *d, const char *path, struct errtext *err)
{
    struct stat st;
    int r = agent_dir_look(d, path, &st, err);
    return r ? r : agent_dir_look_at_tasks(d, err);
}

/* The link count says that no other file of that name's inode was put here to be given away. */
static void agent_dir_give_file(const struct agent_dir *d, const char *name, uid_t uid, gid_t gid)
{
    struct stat st;
    int fd = openat(d->fd, name, O_PATH | O_NOFOLLOW | O_CLOEXEC);
    if (fd >= 0 && fstat(fd, &st) == 0 && (S_ISREG(st.st_mode) || S_ISSOCK(st.st_mode)) &&
        st.st_nlink == 1 && st.st_uid != uid && fchownat(fd, "", uid, gid, AT_EMPTY_PATH) < 0)
        log_warn("cannot give %s/%s to the agent: %s", d->path, name, strerror(errno));
    if (fd >= 0)
        close(fd);
}

int agent_dir_give(const struct agent_dir *d, uid_t uid, gid_t gid, struct errtext *err)
{
    int fd = openat(d->fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *dir = fd < 0 ? NULL : fdopendir(fd);
    for (const struct dirent *e; dir && (e = readdir(dir));)
        if (strcmp(e->d_name, LOCK_NAME) != 0 && strcmp(e->d_name, "policy") != 0)
            agent_dir_give_file(d, e->d_name, uid, gid);
    if (dir)
        closedir(dir);
    else if (fd >= 0)
        close(fd);
    /* Only root removes from the first what is another's, or makes anything in the second. */
    if (fchown(d->fd, 0, gid) < 0 || fchmod(d->fd, 01771) < 0 || fchown(d->tasks_fd, 0, gid) < 0 ||
        fchmod(d->tasks_fd, 02751) < 0)
        return err_set(err, -errno, "cannot protect %s: %s", d->path, strerror(errno));
    return 0;
}

void agent_dir_close(struct agent_dir *d)
{
    for (int i = 0, fds[] = {d->tasks_fd, d->lock_fd, d->fd}; i < 3; i++)
        if (fds[i] >= 0)
            close(fds[i]);
    free(d->path);
    free(d->tasks_path);
}
