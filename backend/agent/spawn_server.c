#include "backend/agent/spawn_server.h"

#include <errno.h>
#include <fcntl.h>
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

#include "backend/node/gpu_sampler.h"
#include "backend/rights/rights_request.h"
#include "backend/task/shim_setup.h"
#include "src/os/given_env.h"
#include "src/os/log.h"

#define SERVER_FD     3
#define FIRST_FREE    16 /* descriptors below this number have fixed places */
#define ARGS_MAX      8
#define ARGS_SIZE     1024
#define ANSWER_WAIT_S 5
#define SELF          "/proc/self/exe"

/* A request; `targets` are the numbers that the descriptors sent with it get in the new process. */
struct spawn_order {
    uint32_t shim, bare, session, signals_blocked; /* booleans; bare: the environment is LC_ALL alone */
    uint32_t n_args, n_fds;
    int32_t targets[SPAWN_FDS_MAX];
    char args[ARGS_SIZE]; /* each with its NUL */
};

struct spawn_answer {
    int64_t pid; /* or a negative errno */
};

union spawn_fds {
    struct cmsghdr head;
    char space[CMSG_SPACE(SPAWN_FDS_MAX * sizeof(int))];
};

/* --- in the agent --- */

int spawn_server_start(struct spawn_server *s, const char *shim, struct errtext *err)
{
    int sv[2];
    char name[] = "stoker-spawn", option[] = SPAWN_SERVER_OPTION, none[] = "";
    char *argv[] = {name, option, shim ? (char *)(uintptr_t)shim : none, NULL};
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, sv) < 0)
        return err_set(err, -errno, "cannot make a socket: %s", strerror(errno));
    int r = spawn_program(
        &(struct spawn){
            .path = SELF, .argv = argv, .fds = {{sv[1], SERVER_FD}}, .n_fds = 1, .session = true},
        &s->pid);
    close(sv[1]);
    struct timeval patience = {.tv_sec = ANSWER_WAIT_S};
    setsockopt(sv[0], SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    setsockopt(sv[0], SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
    s->fd = sv[0];
    if (r == 0)
        return 0;
    s->pid = 0;
    close(s->fd);
    return err_set(err, r, "cannot start stoker-spawn: %s", strerror(-r));
}

void spawn_server_stop(struct spawn_server *s)
{
    if (s->pid)
        close(s->fd);
    s->pid = 0;
}

bool spawn_server_child_ended(struct spawn_server *s, pid_t pid)
{
    if (!s->pid || pid != s->pid)
        return false;
    if (!s->lost)
        log_error("stoker-spawn has ended, and this agent ends with it");
    return s->lost = true;
}

static int spawn_server_give_up(struct spawn_server *s)
{
    if (s->pid && !s->lost)
        log_error("stoker-spawn, process %d, does not answer: it is killed, and this agent ends with it",
                  (int)s->pid);
    if (s->pid)
        kill(s->pid, SIGKILL);
    s->lost = true;
    return -EPIPE;
}

static int spawn_order_fill(struct spawn_order *o, const struct spawn *s)
{
    size_t at = 0;
    *o = (struct spawn_order){.shim = strcmp(s->path, SELF) != 0,
                              .bare = s->env != NULL,
                              .session = s->session,
                              .signals_blocked = s->signals_blocked,
                              .n_fds = (uint32_t)s->n_fds};
    for (; s->argv[o->n_args]; o->n_args++) {
        size_t n = strlen(s->argv[o->n_args]) + 1;
        if (o->n_args == ARGS_MAX || n > sizeof o->args - at)
            return -E2BIG;
        memcpy(o->args + at, s->argv[o->n_args], n);
        at += n;
    }
    for (size_t i = 0; i < s->n_fds; i++)
        o->targets[i] = s->fds[i].theirs;
    return 0;
}

static int spawn_server_hear(const struct spawn_server *s, struct spawn_answer *ret)
{
    ssize_t n;
    while ((n = recv(s->fd, ret, sizeof *ret, 0)) < 0 && errno == EINTR)
        ;
    return n == sizeof *ret ? 0 : -EPIPE;
}

static int spawn_server_spawn(void *ctx, const struct spawn *s, pid_t *ret)
{
    struct spawn_server *server = ctx;
    struct spawn_order order;
    union spawn_fds with = {0};
    int fds[SPAWN_FDS_MAX], r = spawn_order_fill(&order, s);
    struct spawn_answer answer;
    if (r < 0)
        return r;
    for (size_t i = 0; i < s->n_fds; i++)
        fds[i] = s->fds[i].ours;
    size_t size = s->n_fds * sizeof(int);
    struct iovec part = {.iov_base = &order, .iov_len = sizeof order};
    struct msghdr m = {.msg_iov = &part, .msg_iovlen = 1};
    if (s->n_fds) {
        m.msg_control = with.space;
        m.msg_controllen = CMSG_SPACE(size);
        struct cmsghdr *c = CMSG_FIRSTHDR(&m);
        *c =
            (struct cmsghdr){.cmsg_len = CMSG_LEN(size), .cmsg_level = SOL_SOCKET, .cmsg_type = SCM_RIGHTS};
        memcpy(CMSG_DATA(c), fds, size);
    }
    *ret = 0;
    if (!server->pid || server->lost)
        return -EPIPE;
    r = sendmsg(server->fd, &m, MSG_NOSIGNAL) < 0 ? -errno : spawn_server_hear(server, &answer);
    if (r == -EAGAIN || r == -EPIPE || r == -ECONNRESET)
        return spawn_server_give_up(server);
    if (r < 0)
        return r;
    *ret = (pid_t)answer.pid;
    return answer.pid < 0 ? (int)answer.pid : 0;
}

struct spawner spawn_server_spawner(struct spawn_server *s)
{
    return s->pid ? (struct spawner){.spawn = spawn_server_spawn, .ctx = s} : (struct spawner){0};
}

/* --- the process --- */

/* A taken-over agent cannot have any other program started. */
static bool spawn_order_is_known(const struct spawn_order *o, char *const *argv, const char *shim)
{
    if (o->shim) /* the shims' own program, or an option of the agent's program */
        return *shim && o->n_args >= 2 &&
               (strcmp(argv[1], FORKSERVER_OPTION) == 0 ||
                (o->n_args >= 3 && strcmp(argv[2], FORKSERVER_OPTION) == 0));
    return o->n_args >= 2 &&
           (strcmp(argv[1], FILE_READER_OPTION) == 0 || strcmp(argv[1], GPU_SAMPLER_OPTION) == 0);
}

static bool spawn_order_split(struct spawn_order *o, char *argv[ARGS_MAX + 1])
{
    char *at = o->args, *end = o->args + sizeof o->args;
    o->args[sizeof o->args - 1] = '\0';
    if (o->n_args > ARGS_MAX || o->n_fds > SPAWN_FDS_MAX)
        return false;
    for (uint32_t i = 0; i < o->n_args; i++) {
        if (at >= end)
            return false;
        argv[i] = at;
        at += strlen(at) + 1;
    }
    argv[o->n_args] = NULL;
    for (uint32_t i = 0; i < o->n_fds; i++)
        if (o->targets[i] < 0 || o->targets[i] >= FIRST_FREE)
            return false;
    return true;
}

/* report: closed if the exec succeeds; else the child writes its errno there. */
static _Noreturn void spawn_order_exec(const struct spawn_order *o, char *const *argv, const int *fds,
                                       const char *shim, int report)
{
    static char lang[] = "LC_ALL=C";
    static char *bare[] = {lang, NULL};
    sigset_t mask;
    int high[SPAWN_FDS_MAX], told = fcntl(report, F_DUPFD_CLOEXEC, FIRST_FREE);
    for (int sig = 1; sig < NSIG; sig++)
        signal(sig, SIG_DFL);
    if (o->session)
        setsid();
    for (uint32_t i = 0; i < o->n_fds; i++)
        high[i] = fcntl(fds[i], F_DUPFD_CLOEXEC, FIRST_FREE);
    bool placed = told >= 0;
    for (uint32_t i = 0; i < o->n_fds; i++)
        placed = placed && high[i] >= 0 && dup2(high[i], o->targets[i]) >= 0;
    (o->signals_blocked ? sigfillset : sigemptyset)(&mask);
    sigprocmask(SIG_SETMASK, &mask, NULL);
    if (placed)
        execve(o->shim ? shim : SELF, argv, o->bare ? bare : given_env());
    int32_t error = errno;
    _exit(told >= 0 && write(told, &error, sizeof error) == sizeof error ? 127 : 126);
}

/* Returns the process id or a negative errno; in the new process it does not return. */
static pid_t spawn_server_serve(struct spawn_order *o, const int *fds, uint32_t n_fds, const char *shim)
{
    char *argv[ARGS_MAX + 1];
    if (!spawn_order_split(o, argv) || o->n_fds != n_fds)
        return -EINVAL;
    if (!spawn_order_is_known(o, argv, shim))
        return -EPERM;
    int report[2];
    int32_t error = 0;
    if (pipe2(report, O_CLOEXEC) < 0)
        return -errno;
    long pid = syscall(SYS_clone, CLONE_PARENT | SIGCHLD, NULL, NULL, NULL, NULL);
    if (pid == 0)
        spawn_order_exec(o, argv, fds, shim, report[1]);
    int r = pid < 0 ? -errno : 0;
    close(report[1]);
    if (r == 0 && read(report[0], &error, sizeof error) == sizeof error)
        r = -error;
    close(report[0]);
    return r < 0 ? r : (pid_t)pid;
}

static uint32_t spawn_server_take_fds(struct msghdr *m, int fds[SPAWN_FDS_MAX])
{
    const struct cmsghdr *c = CMSG_FIRSTHDR(m);
    if (!c || c->cmsg_type != SCM_RIGHTS)
        return 0;
    size_t size = c->cmsg_len - CMSG_LEN(0);
    memcpy(fds, CMSG_DATA(c), size);
    return (uint32_t)(size / sizeof(int));
}

int spawn_server_main(const char *shim)
{
    struct spawn_order order = {0};
    prctl(PR_SET_DUMPABLE, 0);
    fcntl(SERVER_FD, F_SETFD, FD_CLOEXEC);
    for (;;) {
        union spawn_fds with = {0};
        int fds[SPAWN_FDS_MAX];
        struct iovec part = {.iov_base = &order, .iov_len = sizeof order};
        struct msghdr m = {.msg_iov = &part,
                           .msg_iovlen = 1,
                           .msg_control = with.space,
                           .msg_controllen = sizeof with.space};
        ssize_t n = recvmsg(SERVER_FD, &m, MSG_CMSG_CLOEXEC);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0) /* 0: the agent has ended */
            return n < 0;
        uint32_t n_fds = spawn_server_take_fds(&m, fds);
        struct spawn_answer answer;
        answer.pid = n == sizeof order ? spawn_server_serve(&order, fds, n_fds, shim) : -EINVAL;
        for (uint32_t i = 0; i < n_fds; i++)
            close(fds[i]);
        if (send(SERVER_FD, &answer, sizeof answer, MSG_NOSIGNAL) < 0)
            return 1;
    }
}
