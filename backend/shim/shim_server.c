#include "backend/shim/shim_server.h"

#include <errno.h>
#include <limits.h>
#include <linux/capability.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "backend/confine/confine.h"
#include "backend/shim/shim_group.h"
#include "backend/shim/shim_life.h"
#include "backend/shim/shim_pmi_start.h"
#include "backend/task/programs.h"
#include "backend/task/shim_setup.h"

union sent_fds {
    struct cmsghdr head;
    char space[CMSG_SPACE(SHIM_FDS_MAX * sizeof(int))];
};

/* The socket of the shim, its control group and its mount namespace; -1: none. */
struct sent {
    int sock, group, ns;
};

/* For ranks, which become their user, and for their files, groups, limits and processes. */
static const uint64_t rights_of_shim = 1ull << CAP_SETUID | 1ull << CAP_SETGID | 1ull << CAP_CHOWN |
                                       1ull << CAP_DAC_OVERRIDE | 1ull << CAP_DAC_READ_SEARCH |
                                       1ull << CAP_FOWNER | 1ull << CAP_KILL | 1ull << CAP_SYS_PTRACE |
                                       1ull << CAP_SYS_RESOURCE;
/* The server alone: to enter the namespace of a job. */
static const uint64_t rights_of_server = 1ull << CAP_SYS_ADMIN | 1ull << CAP_SYS_CHROOT;

/* Like fork, but a child of our parent: the agent hears of its end as of that of its own children. Where
 * the kernel cannot begin it in its group, it enters that by itself. */
static pid_t shim_server_fork(int group)
{
    long r = group < 0 ? -1 : shim_group_clone(CLONE_PARENT, group);
    if (r < 0)
        r = syscall(SYS_clone, CLONE_PARENT | SIGCHLD, NULL, NULL, NULL, NULL);
    return r < 0 ? -errno : (pid_t)r;
}

/* Moves *dir to the directory. */
static bool shim_server_take_fds(struct msghdr *m, const char **dir, struct sent *ret)
{
    const struct cmsghdr *c = CMSG_FIRSTHDR(m);
    int fds[SHIM_FDS_MAX] = {-1, -1, -1}, n = 1;
    if (!c || c->cmsg_type != SCM_RIGHTS || c->cmsg_len > CMSG_LEN(sizeof fds))
        return false;
    memcpy(fds, CMSG_DATA(c), c->cmsg_len - CMSG_LEN(0));
    *ret = (struct sent){.sock = fds[0], .group = -1, .ns = -1};
    if (**dir == *SHIM_HAS_GROUP && (*dir)++)
        ret->group = fds[n++];
    if (**dir == *SHIM_HAS_NAMESPACE && (*dir)++)
        ret->ns = fds[n];
    return true;
}

static int shim_server_become(const char *dir, const struct sent *fds, int pmi_program, char *title,
                              size_t title_size)
{
    if (fds->ns >= 0 && setns(fds->ns, CLONE_NEWNS) < 0) {
        perror("stoker-shim: cannot enter the mount namespace of the job");
        return 1;
    }
    if (confine_capabilities(rights_of_shim) < 0)
        return 1;
    if (fds->ns >= 0)
        close(fds->ns);
    setsid();
    dup2(fds->sock, SHIM_SOCKET_FD);
    close(fds->sock);
    return shim_main(dir, pmi_program, title, title_size);
}

static int shim_server_run(int pmi_program, char *title, size_t title_size)
{
    char text_of[PATH_MAX + SHIM_FDS_MAX];
    prctl(PR_SET_DUMPABLE, 0);
    for (;;) {
        union sent_fds with = {0};
        const char *dir = text_of;
        struct iovec text = {.iov_base = text_of, .iov_len = sizeof text_of - 1};
        struct msghdr m = {.msg_iov = &text,
                           .msg_iovlen = 1,
                           .msg_control = with.space,
                           .msg_controllen = sizeof with.space};
        ssize_t n = recvmsg(FORKSERVER_FD, &m, 0);
        if (n < 0 && errno == EINTR)
            continue;
        struct sent fds;
        text_of[n > 0 ? n : 0] = '\0';
        if (n <= 0 || !shim_server_take_fds(&m, &dir, &fds))
            return n != 0; /* 0: the agent has gone */
        int32_t pid = shim_server_fork(fds.group);
        if (fds.group >= 0)
            close(fds.group);
        if (pid == 0)
            return shim_server_become(dir, &fds, pmi_program, title, title_size);
        close(fds.sock);
        if (fds.ns >= 0)
            close(fds.ns);
        if (send(FORKSERVER_FD, &pid, sizeof pid, MSG_NOSIGNAL) < 0)
            return 1;
    }
}

int shim_program(int argc, char **argv)
{
    if (confine_capabilities(rights_of_shim | (argc == 1 ? 0 : rights_of_server)) < 0) {
        perror("stoker-shim: cannot drop capabilities");
        return 1;
    }
    programs_hold(); /* its copies hold it too */
    int pmi_program = shim_pmi_open_program();
    if (argc == 1)
        return shim_main(argv[0], pmi_program, NULL, 0);
    if (argc != 2 || strcmp(argv[0], FORKSERVER_OPTION) != 0) {
        fputs("usage: stoker-shim DIRECTORY (started by stoker-agent)\n", stderr);
        return 2;
    }
    return shim_server_run(pmi_program, argv[0], (size_t)(argv[1] + strlen(argv[1]) + 1 - argv[0]));
}
