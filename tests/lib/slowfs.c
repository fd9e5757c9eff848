/* slowfs.c - a file system that hangs, without one: loaded before the C library, it makes whoever opens,
 * asks about or lists a path with one of the parts in SLOWFS (between colons) open the fifo SLOWFS_GATE
 * first, which waits until somebody opens that for writing.
 */
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

static void hang_on(const char *path)
{
    const char *parts = getenv("SLOWFS"), *gate = getenv("SLOWFS_GATE");
    char part[256];
    while (path && gate && parts && *parts) {
        size_t n = strcspn(parts, ":");
        snprintf(part, sizeof part, "%.*s", (int)n, parts);
        if (n && strstr(path, part)) {
            long fd;
            do
                fd = syscall(SYS_openat, AT_FDCWD, gate, O_RDONLY | O_CLOEXEC, 0);
            while (fd < 0 && errno == EINTR);
            syscall(SYS_close, fd);
            return;
        }
        parts += n + (parts[n] == ':');
    }
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
    hang_on(path);
    return (int)syscall(SYS_openat, AT_FDCWD, path, flags, mode);
}

FILE *fopen(const char *restrict path, const char *restrict mode)
{
    FILE *(*real)(const char *, const char *);
    *(void **)&real = next("fopen");
    hang_on(path);
    return real(path, mode);
}

DIR *opendir(const char *path)
{
    DIR *(*real)(const char *);
    *(void **)&real = next("opendir");
    hang_on(path);
    return real(path);
}

int stat(const char *restrict path, struct stat *restrict st)
{
    hang_on(path);
    return fstatat(AT_FDCWD, path, st, 0);
}

int access(const char *path, int mode)
{
    hang_on(path);
    return (int)syscall(SYS_faccessat, AT_FDCWD, path, mode);
}

char *realpath(const char *restrict path, char *restrict out)
{
    char *(*real)(const char *, char *);
    *(void **)&real = next("realpath");
    hang_on(path);
    return real(path, out);
}
