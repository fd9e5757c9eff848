#include "backend/slurm/host/slurm_shared.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <unistd.h>

#include "src/base/xalloc.h"
#include "src/os/file.h"
#include "src/os/unixsock.h"

#define SHARED_WAIT_S 55
#define SHARED_HEAD   4096

char *slurm_shared_socket(const char *own)
{
    const char *dir = getenv(SLURM_SHARED_VARIABLE), *slash = strrchr(own, '/');
    return xasprintf("%s/%s.shared", str_is_empty(dir) ? SLURM_SHARED_DIR : dir, slash ? slash + 1 : own);
}

/* Only root and the service's account can have made the directory, or the socket in it. */
static int shared_check_dir(const char *socket, uid_t *ret_owner, struct errtext *err)
{
    const char *slash = strrchr(socket, '/');
    char *dir = xstrndup(socket, slash ? (size_t)(slash - socket) : 0);
    struct stat st;
    int r = 0;
    if (lstat(dir, &st) < 0)
        r = err_set(err, -errno, "%s: %s", dir, strerror(errno));
    else if (!S_ISDIR(st.st_mode) || (st.st_mode & 022))
        r = err_set(err, -EPERM, "other users can write to %s", dir);
    else
        *ret_owner = st.st_uid;
    free(dir);
    return r;
}

static int shared_connect(const char *socket, struct errtext *err)
{
    struct ucred cred;
    socklen_t len = sizeof cred;
    uid_t owner = 0;
    int r = shared_check_dir(socket, &owner, err);
    if (r < 0)
        return r;
    int fd = unixsock_connect(socket, 0, SHARED_WAIT_S);
    if (fd < 0)
        return err_set(err, fd, "%s: %s", socket, strerror(-fd));
    if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &cred, &len) == 0 && (cred.uid == 0 || cred.uid == owner)) {
        struct timeval wait = {.tv_sec = SHARED_WAIT_S};
        setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &wait, sizeof wait);
        return fd;
    }
    close(fd);
    return err_set(err, -EPERM, "%s is served by another user than its owner", socket);
}

/* The first line, with what has come behind it. */
static int shared_read_head(int fd, struct str *ret)
{
    char buf[SHARED_HEAD];
    while (!strchr(ret->len ? ret->s : "", '\n')) {
        ssize_t n = read(fd, buf, sizeof buf);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0 || ret->len > SHARED_HEAD)
            return n < 0 ? -errno : -EPROTO;
        str_append_n(ret, buf, (size_t)n);
    }
    return 0;
}

static int shared_copy(int fd, int out_fd)
{
    char buf[1 << 16];
    for (;;) {
        ssize_t n = read(fd, buf, sizeof buf);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return n < 0 ? -errno : 0;
        int r = file_write_fd(out_fd, buf, (size_t)n);
        if (r < 0)
            return r;
    }
}

int slurm_shared_fetch(const char *socket, const char *what, int out_fd, struct errtext *err)
{
    struct str head = STR_INIT;
    char *question = xasprintf("%s\n", what);
    int fd = shared_connect(socket, err), r = fd;
    if (fd >= 0) {
        r = file_write_fd(fd, question, strlen(question));
        r = r < 0 ? r : shared_read_head(fd, &head);
        if (r < 0)
            err_set(err, r, "%s: %s", socket, strerror(-r));
        else if (!str_starts(head.s, "OK "))
            r = err_set(err, -EACCES, "%.*s", (int)strcspn(head.s, "\n"),
                        str_starts(head.s, "NO ") ? head.s + 3 : "?");
        else if ((r = file_write_fd(out_fd, head.s + 3, head.len - 3)) < 0 ||
                 (r = shared_copy(fd, out_fd)) < 0)
            err_set(err, r, "%s: %s", socket, strerror(-r));
        close(fd);
    }
    free(question);
    str_fini(&head);
    return r < 0 ? r : 0;
}
