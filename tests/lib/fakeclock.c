/* fakeclock.c - clocks that are wrong, for programs that are started with it in LD_PRELOAD or linked with
 * it (the shim of tests, whose environment is empty).
 *
 * The file that FAKE_CLOCK names, or else the first file called "clock" in the program's directory or above
 * it, holds two numbers of seconds, "WALL SLEPT", and may be changed at any time: so much is CLOCK_REALTIME
 * ahead (or behind), and so much longer has the machine been up than its processes ran, which is what
 * CLOCK_BOOTTIME tells after it has slept. A process that waits is woken every 50 ms, as a machine that
 * wakes looks at its timers.
 */
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define LOOK_MS 50

static const char *clock_file(void)
{
    static char path[PATH_MAX];
    if (path[0] || getenv("FAKE_CLOCK"))
        return path[0] ? path : getenv("FAKE_CLOCK");
    char dir[PATH_MAX - 8];
    ssize_t n = readlink("/proc/self/exe", dir, sizeof dir - 1);
    dir[n > 0 ? n : 0] = '\0';
    for (char *end; (end = strrchr(dir, '/'));) {
        *end = '\0';
        snprintf(path, sizeof path, "%s/clock", dir);
        if (access(path, R_OK) == 0)
            return path;
    }
    path[0] = '\0';
    return NULL;
}

static void offsets(long *wall, long *slept)
{
    char text[64];
    const char *path = clock_file();
    int fd = path ? open(path, O_RDONLY | O_CLOEXEC) : -1;
    ssize_t n = fd < 0 ? 0 : read(fd, text, sizeof text - 1);
    if (fd >= 0)
        close(fd);
    text[n > 0 ? n : 0] = '\0';
    *wall = *slept = 0;
    if (sscanf(text, "%ld %ld", wall, slept) < 1)
        *wall = 0;
}

int clock_gettime(clockid_t id, struct timespec *ts)
{
    long wall, slept;
    int r = (int)syscall(SYS_clock_gettime, id, ts);
    if (r == 0 && (id == CLOCK_REALTIME || id == CLOCK_BOOTTIME)) {
        offsets(&wall, &slept);
        ts->tv_sec += id == CLOCK_REALTIME ? wall : slept;
    }
    return r;
}

time_t time(time_t *ret)
{
    struct timespec ts;
    clock_gettime(CLOCK_REALTIME, &ts);
    if (ret)
        *ret = ts.tv_sec;
    return ts.tv_sec;
}

static int soon(int ms)
{
    return ms < 0 || ms > LOOK_MS ? LOOK_MS : ms;
}

int poll(struct pollfd *fds, nfds_t n, int ms)
{
    struct timespec t = {.tv_nsec = soon(ms) * 1000000L};
    return (int)syscall(SYS_ppoll, fds, n, &t, NULL, 0);
}

/* What poll is called in programs that are built with _FORTIFY_SOURCE. */
int __poll_chk(struct pollfd *fds, nfds_t n, int ms, size_t size);
int __poll_chk(struct pollfd *fds, nfds_t n, int ms, size_t size)
{
    (void)size;
    return poll(fds, n, ms);
}

int epoll_wait(int fd, struct epoll_event *events, int max, int ms)
{
    return epoll_pwait(fd, events, max, soon(ms), NULL);
}
