/* counts.c - loaded in front of the C library (LD_PRELOAD): counts what a job costs a daemon.
 *
 * COUNTS_DIR names a directory. Each program that is started with it has a file there, PROGRAM.PID, of
 * COUNT_KINDS numbers (int64, native): syncs to disk, wake-ups of an event loop, processes begun, files
 * opened, directories made, bytes received from sockets. They are added to as it runs, so that a test may
 * read them at any time.
 *
 * A wait that ends because its time is over is not counted: how many there are depends on how long a job
 * takes. One that was given no time is. */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

enum { COUNT_SYNCS, COUNT_WAKES, COUNT_FORKS, COUNT_OPENS, COUNT_DIRS, COUNT_RECEIVED, COUNT_KINDS };

static _Atomic int64_t *counts;

__attribute__((constructor)) static void counts_open(void)
{
    const char *dir = getenv("COUNTS_DIR");
    char path[4096];
    if (!dir)
        return;
    snprintf(path, sizeof path, "%s/%s.%d", dir, program_invocation_short_name, (int)getpid());
    int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    if (fd < 0)
        return;
    if (ftruncate(fd, COUNT_KINDS * sizeof *counts) == 0) {
        void *p = mmap(NULL, COUNT_KINDS * sizeof *counts, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
        counts = p == MAP_FAILED ? NULL : p;
    }
    close(fd);
}

static void count_many(int kind, int64_t n)
{
    if (counts)
        atomic_fetch_add(&counts[kind], n);
}

static void count(int kind)
{
    count_many(kind, 1);
}

/* dlsym gives a data pointer, POSIX promises that it may be called. */
#define NEXT(name) (*(__typeof__(&name) *)&(void *){dlsym(RTLD_NEXT, #name)})

int fdatasync(int fd)
{
    count(COUNT_SYNCS);
    return NEXT(fdatasync)(fd);
}

int fsync(int fd)
{
    count(COUNT_SYNCS);
    return NEXT(fsync)(fd);
}

int epoll_wait(int epoll, struct epoll_event *ret, int n, int timeout_ms)
{
    int r = NEXT(epoll_wait)(epoll, ret, n, timeout_ms);
    if (r != 0 || timeout_ms == 0)
        count(COUNT_WAKES);
    return r;
}

/* Its C name is another, as the C library's headers define openat where they check its arguments. */
int counts_openat(int dir_fd, const char *path, int flags, ...) __asm__("openat");

int counts_openat(int dir_fd, const char *path, int flags, ...)
{
    int (*next)(int, const char *, int, ...) =
        *(__typeof__(&counts_openat) *)&(void *){dlsym(RTLD_NEXT, "openat")};
    va_list ap;
    va_start(ap, flags);
    mode_t mode = flags & O_CREAT ? va_arg(ap, mode_t) : 0;
    va_end(ap);
    count(COUNT_OPENS);
    return next(dir_fd, path, flags, mode);
}

int mkdirat(int dir_fd, const char *path, mode_t mode)
{
    count(COUNT_DIRS);
    return NEXT(mkdirat)(dir_fd, path, mode);
}

/* Its C name is another, for the same reason as that of openat. */
ssize_t counts_recv(int fd, void *buf, size_t size, int flags) __asm__("recv");

ssize_t counts_recv(int fd, void *buf, size_t size, int flags)
{
    ssize_t (*next)(int, void *, size_t, int) =
        *(__typeof__(&counts_recv) *)&(void *){dlsym(RTLD_NEXT, "recv")};
    ssize_t n = next(fd, buf, size, flags);
    count_many(COUNT_RECEIVED, n > 0 ? n : 0);
    return n;
}

pid_t fork(void)
{
    count(COUNT_FORKS);
    return NEXT(fork)();
}

int posix_spawn(pid_t *pid, const char *path, const posix_spawn_file_actions_t *files,
                const posix_spawnattr_t *attr, char *const argv[], char *const envp[])
{
    count(COUNT_FORKS);
    return NEXT(posix_spawn)(pid, path, files, attr, argv, envp);
}
