/* slowfs.c - a file system that hangs, without one: loaded before the C library, it makes a process that
 * opens, asks about or lists a path with one of the parts in SLOWFS (between colons) open the fifo
 * SLOWFS_GATE first, which waits until another process opens that for writing.
 */
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Has the path one of the parts in that variable? */
static bool has_part(const char *path, const char *variable)
{
    const char *parts = getenv(variable);
    char part[256];
    while (path && parts && *parts) {
        size_t n = strcspn(parts, ":");
        snprintf(part, sizeof part, "%.*s", (int)n, parts);
        if (n && strstr(path, part))
            return true;
        parts += n + (parts[n] == ':');
    }
    return false;
}

/* Returns false, with errno, where it is not there. */
static bool reach(const char *path)
{
    const char *gate = getenv("SLOWFS_GATE");
    long fd = -1;
    if (has_part(path, "SLOWFS_AWAY")) {
        errno = ENOENT;
        return false;
    }
    if (!gate || !has_part(path, "SLOWFS"))
        return true;
    do
        fd = syscall(SYS_openat, AT_FDCWD, gate, O_RDONLY | O_CLOEXEC, 0);
    while (fd < 0 && errno == EINTR);
    syscall(SYS_close, fd);
    return true;
}

static void *next(const char *name)
{
    void *p = dlsym(RTLD_NEXT, name);
    if (!p)
        abort();
    return p;
}

int open(const char *path, int flags, ...)
{
    va_list ap;
    va_start(ap, flags);
    unsigned mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(ap, unsigned) : 0;
    va_end(ap);
    if (!reach(path))
        return -1;
    return (int)syscall(SYS_openat, AT_FDCWD, path, flags, mode);
}

FILE *fopen(const char *restrict path, const char *restrict mode)
{
    FILE *(*real)(const char *, const char *);
    *(void **)&real = next("fopen");
    return reach(path) ? real(path, mode) : NULL;
}

DIR *opendir(const char *path)
{
    DIR *(*real)(const char *);
    *(void **)&real = next("opendir");
    return reach(path) ? real(path) : NULL;
}

int stat(const char *restrict path, struct stat *restrict st)
{
    if (!reach(path))
        return -1;
    return fstatat(AT_FDCWD, path, st, 0);
}

int access(const char *path, int mode)
{
    if (!reach(path))
        return -1;
    return (int)syscall(SYS_faccessat, AT_FDCWD, path, mode);
}

char *realpath(const char *restrict path, char *restrict out)
{
    char *(*real)(const char *, char *);
    *(void **)&real = next("realpath");
    return reach(path) ? real(path, out) : NULL;
}
