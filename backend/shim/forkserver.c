#include "backend/shim/forkserver.h"

#include <errno.h>
#include <limits.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <unistd.h>

#include "backend/shim/shim.h"
#include "backend/task/programs.h"
#include "src/base/log.h"
#include "src/base/spawn.h"

#define SERVER_FD     3
#define ANSWER_WAIT_S 5 /* one that is stopped, or starves, must not stop the agent */
#define TITLE_SIZE    512

union one_fd {
    struct cmsghdr head;
    char space[CMSG_SPACE(sizeof(int))];
};

/* --- the agent's side --- */

void forkserver_stop(struct forkserver *f)
{
    if (f->pid)
        close(f->fd);
    f->pid = 0;
}

static int start(struct forkserver *f)
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
    int r = spawn_program(&(struct spawn){.path = f->program,
                                          .argv = argv,
                                          .env = env,
                                          .fds = {{sv[1], SERVER_FD}},
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

/* Returns the answer: a process id or what fork said; -EPIPE where nobody was there to be asked; -ETIMEDOUT
 * where the question was taken and no answer came. */
static pid_t ask(const struct forkserver *f, const char *dir, int sock)
{
    union one_fd with = {0};
    struct iovec text = {.iov_base = (void *)(uintptr_t)dir, .iov_len = strlen(dir)};
    struct msghdr m = {
        .msg_iov = &text, .msg_iovlen = 1, .msg_control = with.space, .msg_controllen = sizeof with.space};
    struct cmsghdr *c = CMSG_FIRSTHDR(&m);
    *c = (struct cmsghdr){
        .cmsg_len = CMSG_LEN(sizeof(int)), .cmsg_level = SOL_SOCKET, .cmsg_type = SCM_RIGHTS};
    memcpy(CMSG_DATA(c), &sock, sizeof sock);
    int32_t answer;
    if (sendmsg(f->fd, &m, MSG_NOSIGNAL) < 0)
        return -EPIPE;
    ssize_t n;
    while ((n = recv(f->fd, &answer, sizeof answer, 0)) < 0 && errno == EINTR)
        ;
    return n == sizeof answer ? answer : -ETIMEDOUT;
}

pid_t forkserver_shim(struct forkserver *f, const char *dir, int sock)
{
    int r = f->pid ? 0 : start(f);
    pid_t shim = r < 0 ? r : ask(f, dir, sock);
    if (shim == -EPIPE) { /* it has just ended; nothing was begun */
        forkserver_stop(f);
        r = start(f);
        shim = r < 0 ? r : ask(f, dir, sock);
    }
    if (shim == -EPIPE || shim == -ETIMEDOUT) {
        /* A shim that it may have made hears nothing more on its socket, and ends. */
        log_warn("the fork server of the supervisors, process %d, does not answer", (int)f->pid);
        kill(f->pid, SIGKILL);
        forkserver_stop(f);
    }
    return shim;
}

bool forkserver_child_ended(struct forkserver *f, pid_t pid)
{
    if (pid != f->pid)
        return false;
    forkserver_stop(f);
    return true;
}

/* --- the server --- */

/* Like fork, but a child of our parent: the agent hears of its end as of that of its own children. */
static pid_t fork_sibling(void)
{
    long r = syscall(SYS_clone, CLONE_PARENT | SIGCHLD, NULL, NULL, NULL, NULL);
    return r < 0 ? -errno : (pid_t)r;
}

static int become_shim(const char *dir, int sock, char *title, size_t title_size)
{
    setsid();
    dup2(sock, SHIM_SOCKET_FD);
    close(sock);
    memset(title, 0, title_size);
    memcpy(title, dir, strnlen(dir, title_size - 1));
    return shim_main(dir);
}

static int serve(char *title, size_t title_size)
{
    char dir[PATH_MAX];
    prctl(PR_SET_DUMPABLE, 0);
    for (;;) {
        union one_fd with = {0};
        struct iovec text = {.iov_base = dir, .iov_len = sizeof dir - 1};
        struct msghdr m = {.msg_iov = &text,
                           .msg_iovlen = 1,
                           .msg_control = with.space,
                           .msg_controllen = sizeof with.space};
        ssize_t n = recvmsg(SERVER_FD, &m, 0);
        if (n < 0 && errno == EINTR)
            continue;
        const struct cmsghdr *c = n > 0 ? CMSG_FIRSTHDR(&m) : NULL;
        if (!c || c->cmsg_type != SCM_RIGHTS)
            return n != 0; /* 0: the agent has gone */
        int sock;
        memcpy(&sock, CMSG_DATA(c), sizeof sock);
        dir[n] = '\0';
        int32_t pid = fork_sibling();
        if (pid == 0)
            return become_shim(dir, sock, title, title_size);
        close(sock);
        if (send(SERVER_FD, &pid, sizeof pid, MSG_NOSIGNAL) < 0)
            return 1;
    }
}

int shim_program(int argc, char **argv)
{
    programs_hold(); /* its copies hold it too */
    if (argc == 1)
        return shim_main(argv[0]);
    if (argc != 2 || strcmp(argv[0], FORKSERVER_OPTION) != 0) {
        fputs("usage: stoker-shim DIRECTORY (started by stoker-agent)\n", stderr);
        return 2;
    }
    return serve(argv[0], (size_t)(argv[1] + strlen(argv[1]) + 1 - argv[0]));
}
