#include "backend/agent/agent_dir.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "src/base/dirs.h"
#include "src/base/exe_path.h"
#include "src/base/xalloc.h"

static int agent_dir_make(struct agent_dir *d, const char *path, bool root, struct errtext *err)
{
    mode_t mode = root ? 0711 : 0700;
    dirs_above(path, 0755);
    if (mkdir(path, mode) < 0 && errno != EEXIST)
        return err_set(err, -errno, "cannot make %s: %s", path, strerror(errno));
    d->path = realpath(path, NULL);
    d->fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    struct stat st;
    if (!d->path || d->fd < 0 || fstat(d->fd, &st) < 0)
        return err_set(err, -errno, "cannot open %s: %s", path, strerror(errno));
    if (st.st_uid != geteuid())
        return err_set(err, -EPERM, "%s belongs to another user", d->path);
    if (fchmod(d->fd, mode) < 0)
        return err_set(err, -errno, "cannot protect %s: %s", d->path, strerror(errno));
    if (mkdirat(d->fd, "tasks", mode) < 0 && errno != EEXIST)
        return err_set(err, -errno, "cannot make %s/tasks: %s", d->path, strerror(errno));
    d->tasks_fd = openat(d->fd, "tasks", O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
    d->tasks_path = xasprintf("%s/tasks", d->path);
    return d->tasks_fd < 0 ? err_set(err, -errno, "cannot open %s: %s", d->tasks_path, strerror(errno)) : 0;
}

static int agent_dir_lock(struct agent_dir *d, struct errtext *err)
{
    d->lock_fd = openat(d->fd, "lock", O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    if (d->lock_fd < 0)
        return err_set(err, -errno, "cannot open %s/lock: %s", d->path, strerror(errno));
    if (flock(d->lock_fd, LOCK_EX | LOCK_NB) < 0)
        return err_set(err, errno == EWOULDBLOCK ? -EEXIST : -errno, "an agent runs already in %s",
                       d->path);
    char *program = exe_path();
    if (ftruncate(d->lock_fd, 0) == 0) /* a bridge of another release reads it */
        dprintf(d->lock_fd, "%d\n%s\n", (int)getpid(), program ? program : "");
    free(program);
    return 0;
}

int agent_dir_open(struct agent_dir *d, const char *path, bool root, struct errtext *err)
{
    int r = agent_dir_make(d, path, root, err);
    return r < 0 ? r : agent_dir_lock(d, err);
}

void agent_dir_close(struct agent_dir *d)
{
    for (int i = 0, fds[] = {d->tasks_fd, d->lock_fd, d->fd}; i < 3; i++)
        if (fds[i] >= 0)
            close(fds[i]);
    free(d->path);
    free(d->tasks_path);
}
