/* slownames.c - a name service that hangs or changes its mind: loaded before the C library of a stokerd.
 *
 * SLOW_NAMES names a directory. While there is a file `hang` in it no question about a user comes back.
 * While there is a file `away` every user is in no group but the own one. A file `later` holds seconds that
 * the clock which only goes forward is ahead.
 */
#include <dlfcn.h>
#include <fcntl.h>
#include <grp.h>
#include <poll.h>
#include <pwd.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define LOOK_MS 5

static void path_of(char path[static 4096], const char *name)
{
    const char *dir = getenv("SLOW_NAMES");
    snprintf(path, 4096, "%s/%s", dir ? dir : "", name);
}

static bool is_so(const char *what)
{
    char path[4096];
    path_of(path, what);
    return access(path, F_OK) == 0;
}

static void wait_while_it_hangs(void)
{
    while (is_so("hang"))
        poll(NULL, 0, LOOK_MS);
}

struct passwd *getpwuid(uid_t uid)
{
    struct passwd *(*real)(uid_t);
    *(void **)&real = dlsym(RTLD_NEXT, "getpwuid");
    wait_while_it_hangs();
    return real(uid);
}

int getpwuid_r(uid_t uid, struct passwd *pw, char *buf, size_t n, struct passwd **ret)
{
    int (*real)(uid_t, struct passwd *, char *, size_t, struct passwd **);
    *(void **)&real = dlsym(RTLD_NEXT, "getpwuid_r");
    wait_while_it_hangs();
    return real(uid, pw, buf, n, ret);
}

int getgrouplist(const char *user, gid_t group, gid_t *groups, int *n)
{
    int (*real)(const char *, gid_t, gid_t *, int *);
    *(void **)&real = dlsym(RTLD_NEXT, "getgrouplist");
    if (!is_so("away"))
        return real(user, group, groups, n);
    groups[0] = 65500; /* a group that no machine has */
    *n = 1;
    return 1;
}

int clock_gettime(clockid_t id, struct timespec *ts)
{
    char path[4096], text[32] = "";
    int r = (int)syscall(SYS_clock_gettime, id, ts);
    path_of(path, "later");
    int fd = id == CLOCK_BOOTTIME ? open(path, O_RDONLY | O_CLOEXEC) : -1;
    if (fd >= 0 && read(fd, text, sizeof text - 1) > 0)
        ts->tv_sec += atoi(text);
    if (fd >= 0)
        close(fd);
    return r;
}
