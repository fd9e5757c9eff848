#include "backend/rights/forkserver.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "backend/task/shim_setup.h"
#include "src/os/log.h"

#define ANSWER_WAIT_S 5 /* one that is stopped, or starves, must not stop the agent */
#define TITLE_SIZE    512

union shim_socket {
    struct cmsghdr head;
    char space[CMSG_SPACE(SHIM_FDS_MAX * sizeof(int))];
};

void forkserver_stop(struct forkserver *f)
{
    if (f->pid)
        close(f->fd);
    f->pid = 0;
}

static int forkserver_start(struct forkserver *f)
{
    /* The place for the command lines of the copies. */
    char title[TITLE_SIZE];
    memset(title, ' ', sizeof title - 1);
    title[sizeof title - 1] = '\0';
    char name[] = "stoker-shim", option[] = FORKSERVER_OPTION, lang[] = "LC_ALL=C";
    char *argv[5] = {name}, *env[] = {lang, NULL};
    int n = 1, sv[2];
    if (f->mode)
        argv[n++] = (char *)(uintptr_t)f->mode;
    argv[n++] = option;
    argv[n] = title;
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, sv) < 0)
        return -errno;
    int r = spawner_start(&f->spawner,
                          &(struct spawn){.path = f->program,
                                          .argv = argv,
                                          .env = env,
                                          .fds = {{sv[1], FORKSERVER_FD}},
                                          .n_fds = 1,
                                          .session = true,
                                          .signals_blocked = true},
                          &f->pid);
    close(sv[1]);
    if (r) {
        close(sv[0]);
        f->pid = 0;
        return r;
    }
    struct timeval patience = {.tv_sec = ANSWER_WAIT_S};
    setsockopt(sv[0], SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    setsockopt(sv[0], SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
    f->fd = sv[0];
    return 0;
}

/* Returns the answer: a process id or what fork said; -EPIPE where no server was there to be asked;
 * -ETIMEDOUT where the question was taken and no answer came. */
static pid_t forkserver_ask(const struct forkserver *f, const char *dir, int group, int ns, int sock)
{
    union shim_socket with = {0};
    char head[PATH_MAX + SHIM_FDS_MAX];
    int fds[SHIM_FDS_MAX] = {sock}, n_fds = 1, len;
    if (group >= 0)
        fds[n_fds++] = group;
    if (ns >= 0)
        fds[n_fds++] = ns;
    size_t size = (size_t)n_fds * sizeof(int);
    len = snprintf(head, sizeof head, "%s%s%s", group >= 0 ? SHIM_HAS_GROUP : "",
                   ns >= 0 ? SHIM_HAS_NAMESPACE : "", dir);
    struct iovec text = {.iov_base = head, .iov_len = (size_t)len};
    struct msghdr m = {
        .msg_iov = &text, .msg_iovlen = 1, .msg_control = with.space, .msg_controllen = CMSG_SPACE(size)};
    struct cmsghdr *c = CMSG_FIRSTHDR(&m);
    *c = (struct cmsghdr){.cmsg_len = CMSG_LEN(size), .cmsg_level = SOL_SOCKET, .cmsg_type = SCM_RIGHTS};
    memcpy(CMSG_DATA(c), fds, size);
    int32_t answer;
    if (sendmsg(f->fd, &m, MSG_NOSIGNAL) < 0)
        return -EPIPE;
    ssize_t n;
    while ((n = recv(f->fd, &answer, sizeof answer, 0)) < 0 && errno == EINTR)
        ;
    /* Reset: it ended before it took the question. */
    return n == sizeof answer ? answer : n < 0 && errno == ECONNRESET ? -EPIPE : -ETIMEDOUT;
}

pid_t forkserver_shim(struct forkserver *f, const char *dir, const char *group, int ns, int sock)
{
    int group_fd = group ? open(group, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
    int r = f->pid ? 0 : forkserver_start(f);
    pid_t shim = r < 0 ? r : forkserver_ask(f, dir, group_fd, ns, sock);
    if (shim == -EPIPE) { /* it has just ended; nothing was begun */
        forkserver_stop(f);
        r = forkserver_start(f);
        shim = r < 0 ? r : forkserver_ask(f, dir, group_fd, ns, sock);
    }
    if (group_fd >= 0)
        close(group_fd);
    if (f->pid && (shim == -EPIPE || shim == -ETIMEDOUT)) {
        /* A shim that it may have made hears nothing more on its socket, and ends. */
        log_warn("the fork server of the supervisors, process %d, does not answer", (int)f->pid);
        kill(f->pid, SIGKILL);
        forkserver_stop(f);
    }
    return shim;
}

bool forkserver_child_ended(struct forkserver *f, pid_t pid, int status)
{
    bool server = pid == f->pid;
    if (server || WIFSIGNALED(status))
        forkserver_stop(f);
    return server;
}
