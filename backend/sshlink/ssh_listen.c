#include "backend/sshlink/ssh_listen.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "src/os/clock.h"
#include "src/os/log.h"
#include "src/os/privdrop.h"
#include "src/os/unixsock.h"

#define PAUSE_MS 200 /* after an accept that failed for want of something */

/* One line a minute: the socket is open to all users, and a line for each of them would fill the disk. */
static void tell_refused(const struct ucred *peer)
{
    static int64_t told_ms;
    int64_t now = mono_ms();
    if (told_ms && now - told_ms < 60000)
        return;
    told_ms = now;
    log_warn("uid=%u pid=%d may not connect", (unsigned)peer->uid, (int)peer->pid);
}

static bool may_connect(int fd, uid_t allowed)
{
    struct ucred peer;
    socklen_t len = sizeof peer;
    if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &len) < 0)
        return false;
    bool may = peer.uid == 0 || peer.uid == geteuid() || peer.uid == allowed;
    if (!may)
        tell_refused(&peer);
    return may;
}

static pid_t listen_start(const char *program, const char *keys, int fd)
{
    pid_t pid = fork();
    if (pid != 0)
        return pid;
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    /* dup2 onto itself would leave close-on-exec set. */
    int ctl = fd == 3 ? dup(fd) : fd;
    if (ctl >= 0 && dup2(ctl, 3) == 3)
        execl(program, "stoker-link", "serve", keys, (char *)NULL);
    dprintf(2, "stoker-link: %s: %s\n", program, strerror(errno));
    _exit(127);
}

static void listen_stop(pid_t *pid)
{
    if (*pid <= 0)
        return;
    kill(*pid, SIGKILL); /* it holds nothing that is not to be had again */
    while (waitpid(*pid, NULL, 0) < 0 && errno == EINTR)
        ;
    *pid = 0;
}

static void listen_take(int sock, const char *program, const char *keys, uid_t allowed, pid_t *pid)
{
    int fd = accept4(sock, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
    if (fd < 0 && errno != EAGAIN && errno != EINTR && errno != ECONNABORTED)
        poll(NULL, 0, PAUSE_MS);
    if (fd < 0)
        return;
    if (may_connect(fd, allowed)) {
        listen_stop(pid);
        *pid = listen_start(program, keys, fd);
        log_info("controller connected pid=%d", (int)*pid);
    }
    close(fd);
}

/* True: the end was asked for. */
static bool heard_end(int signals, pid_t *pid)
{
    struct signalfd_siginfo si;
    bool end = false;
    while (read(signals, &si, sizeof si) == sizeof si)
        end = end || si.ssi_signo != SIGCHLD;
    for (pid_t gone; (gone = waitpid(-1, NULL, WNOHANG)) > 0;)
        if (gone == *pid)
            *pid = 0;
    return end;
}

int listen_run(const char *program, const char *socket, const char *keys, const char *peer,
               struct errtext *err)
{
    uid_t uid = geteuid();
    gid_t gid;
    int r = peer ? privdrop_find_user(peer, &uid, &gid, err) : 0;
    if (r < 0)
        return r;
    int sock = unixsock_listen_packets(socket, 0666, 8);
    if (sock < 0)
        return err_set(err, sock, "cannot listen at %s: %s", socket, strerror(-sock));
    sigset_t set;
    sigemptyset(&set);
    for (size_t i = 0, n[] = {SIGCHLD, SIGTERM, SIGINT, SIGHUP}; i < 4; i++)
        sigaddset(&set, (int)n[i]);
    sigprocmask(SIG_BLOCK, &set, NULL);
    int signals = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
    pid_t pid = 0;
    log_info("listens at %s, keys in %s", socket, keys);
    for (bool end = false; !end;) {
        struct pollfd p[2] = {{.fd = signals, .events = POLLIN}, {.fd = sock, .events = POLLIN}};
        if (poll(p, 2, -1) < 0)
            continue;
        if (p[0].revents)
            end = heard_end(signals, &pid);
        if (!end && p[1].revents)
            listen_take(sock, program, keys, uid, &pid);
    }
    listen_stop(&pid);
    close(signals);
    close(sock);
    unlink(socket);
    return 0;
}
