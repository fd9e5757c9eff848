/* unixsock.c - Unix sockets by path.
 *
 * Long paths go through a descriptor of their directory: /proc/self/fd/N/NAME.
 */
#include "src/os/unixsock.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "src/base/xalloc.h"

/* *ret_dir_fd, -1 where none is needed, must stay open until the address has been used. */
static int set_address(const char *path, struct sockaddr_un *sa, int *ret_dir_fd)
{
    *sa = (struct sockaddr_un){.sun_family = AF_UNIX};
    *ret_dir_fd = -1;
    if (strlen(path) < sizeof sa->sun_path) {
        memcpy(sa->sun_path, path, strlen(path) + 1);
        return 0;
    }
    const char *slash = strrchr(path, '/');
    char *dir = slash ? xstrndup(path, (size_t)(slash - path)) : xstrdup(".");
    int fd = open(dir, O_PATH | O_DIRECTORY | O_CLOEXEC), r = fd < 0 ? -errno : 0;
    free(dir);
    if (r < 0)
        return r;
    int n =
        snprintf(sa->sun_path, sizeof sa->sun_path, "/proc/self/fd/%d/%s", fd, slash ? slash + 1 : path);
    if (n < 0 || (size_t)n >= sizeof sa->sun_path) {
        close(fd);
        return -ENAMETOOLONG;
    }
    *ret_dir_fd = fd;
    return 0;
}

/* Closes what is not needed any more. r: the outcome so far. */
static int unixsock_finish(int fd, int dir_fd, int r)
{
    if (dir_fd >= 0)
        close(dir_fd);
    if (r == 0)
        return fd;
    if (fd >= 0)
        close(fd);
    return r;
}

static int connect_as(const char *path, int type, int wait_s)
{
    struct sockaddr_un sa;
    int dir_fd, r = set_address(path, &sa, &dir_fd);
    if (r < 0)
        return r;
    int fd = socket(AF_UNIX, type | SOCK_CLOEXEC, 0);
    if (fd < 0)
        return unixsock_finish(fd, dir_fd, -errno);
    /* With a full queue of connections connect waits as long as a write may. */
    struct timeval wait = {.tv_sec = wait_s};
    if (wait_s)
        setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &wait, sizeof wait);
    do
        r = connect(fd, (const struct sockaddr *)&sa, sizeof sa) < 0 ? -errno : 0;
    while (r == -EINTR);
    return unixsock_finish(fd, dir_fd, r);
}

int unixsock_connect(const char *path, int flags, int wait_s)
{
    return connect_as(path, SOCK_STREAM | flags, wait_s);
}

int unixsock_connect_packets(const char *path)
{
    return connect_as(path, SOCK_SEQPACKET | SOCK_NONBLOCK, 0);
}

static int listen_as(const char *path, int type, mode_t mode, int backlog)
{
    struct sockaddr_un sa;
    int dir_fd, r = set_address(path, &sa, &dir_fd);
    if (r < 0)
        return r;
    int fd = socket(AF_UNIX, type | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (fd < 0)
        return unixsock_finish(fd, dir_fd, -errno);
    unlink(path);
    mode_t old = umask(0777 & ~mode);
    if (bind(fd, (const struct sockaddr *)&sa, sizeof sa) < 0 || listen(fd, backlog) < 0)
        r = -errno;
    umask(old);
    return unixsock_finish(fd, dir_fd, r);
}

int unixsock_listen(const char *path, mode_t mode, int backlog)
{
    return listen_as(path, SOCK_STREAM, mode, backlog);
}

int unixsock_listen_packets(const char *path, mode_t mode, int backlog)
{
    return listen_as(path, SOCK_SEQPACKET, mode, backlog);
}
