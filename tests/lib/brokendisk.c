/* brokendisk.c - a disk that fails, or loses its power, for the controller's database: loaded before the C
 * library of a stokerd.
 *
 * BROKEN_DISK names a directory. While there is a file `sync` in it no file of the database can be synced,
 * while there is one `write` none can be written: EIO. While there is one `hang` no sync comes back, and
 * `hanging` is there once one waits. Whatever is synced is copied there as it is then,
 * and what was removed goes when its directory is synced: what a machine finds that lost its power in the
 * moment before the next sync is exactly that, and nothing of what was written since. BROKEN_STATFS is the
 * number of the file system that every directory is said to lie on.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <unistd.h>

/* The base name of a file of the database; false for all others. */
static bool name_of(int fd, char name[static 256])
{
    char link[64], path[4096];
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    ssize_t n = readlink(link, path, sizeof path - 1);
    path[n > 0 ? n : 0] = '\0';
    const char *slash = strrchr(path, '/');
    snprintf(name, 256, "%s", slash ? slash + 1 : path);
    return strncmp(name, "stoker.db", 9) == 0;
}

static bool is_broken(const char *what)
{
    char path[4096];
    const char *dir = getenv("BROKEN_DISK");
    snprintf(path, sizeof path, "%s/%s", dir ? dir : "", what);
    return dir && access(path, F_OK) == 0;
}

static void hang(void)
{
    char path[4096];
    if (!is_broken("hang"))
        return;
    snprintf(path, sizeof path, "%s/hanging", getenv("BROKEN_DISK"));
    close(open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600));
    while (is_broken("hang"))
        usleep(1000);
}

/* Under its name only once it is whole: the process may be killed meanwhile. */
static void keep(int fd, const char *name)
{
    static char part[4200], whole[4200], buf[1 << 16];
    const char *dir = getenv("BROKEN_DISK");
    if (!dir)
        return;
    snprintf(whole, sizeof whole, "%s/%s", dir, name);
    snprintf(part, sizeof part, "%s/part.%s", dir, name);
    int to = open(part, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    off_t at = 0;
    for (ssize_t n; to >= 0 && (n = pread(fd, buf, sizeof buf, at)) > 0; at += n)
        if (write(to, buf, (size_t)n) != n)
            abort();
    if (to < 0 || close(to) < 0 || rename(part, whole) < 0)
        abort();
}

/* A directory was synced: what has been removed from it does not come back. */
static void forget_removed(int dir_fd)
{
    static const char *const names[] = {"stoker.db", "stoker.db-wal", "stoker.db-journal"};
    const char *dir = getenv("BROKEN_DISK");
    char kept[4200];
    for (size_t i = 0; dir && i < sizeof names / sizeof names[0]; i++) {
        snprintf(kept, sizeof kept, "%s/%s", dir, names[i]);
        if (faccessat(dir_fd, names[i], F_OK, 0) < 0 && errno == ENOENT)
            unlink(kept);
    }
}

static int sync_file(int fd)
{
    char name[256];
    if (!name_of(fd, name)) {
        if (strcmp(name, "state") == 0)
            forget_removed(fd);
        return 0;
    }
    hang();
    if (is_broken("sync")) {
        errno = EIO;
        return -1;
    }
    keep(fd, name);
    return 0;
}

int fsync(int fd)
{
    return sync_file(fd);
}

int fdatasync(int fd)
{
    return sync_file(fd);
}

ssize_t pwrite64(int fd, const void *p, size_t n, off64_t at)
{
    char name[256];
    if (name_of(fd, name) && is_broken("write")) {
        errno = EIO;
        return -1;
    }
    return syscall(SYS_pwrite64, fd, p, n, at);
}

ssize_t pwrite(int fd, const void *p, size_t n, off_t at)
{
    return pwrite64(fd, p, n, at);
}

int statfs(const char *path, struct statfs *ret)
{
    const char *type = getenv("BROKEN_STATFS");
    int r = (int)syscall(SYS_statfs, path, ret);
    if (r == 0 && type)
        ret->f_type = strtol(type, NULL, 0);
    return r;
}
