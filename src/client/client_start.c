/* client_start.c - starts a controller in the background and waits until it answers.
 *
 *     this program --fork--> watcher --fork--> stokerd
 *
 * The watcher tells through a pipe how stokerd ended, should it end while it is waited for, and goes away
 * with the end of the wait; stokerd is then not a child of this process, so that no zombie stays behind in
 * a screen that lives for days.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "src/base/xalloc.h"
#include "src/client/client_find.h"
#include "src/client/client_private.h"
#include "src/lang/lang.h"
#include "src/os/clock.h"
#include "src/os/dirs.h"
#include "src/os/exe_path.h"
#include "src/os/given_env.h"

#define START_WAIT_MS 30000
#define WAIT_VARIABLE "STOKER_START_WAIT_MS" /* for tests: another time */
#define SAY_AFTER_MS  2000
#define POLL_MS       10
#define TAIL_SIZE     4096

/* What leads to the socket of a controller that serves all users is open to all. */
static mode_t open_mode(const struct paths *p)
{
    return p->shared || paths_root_serves_all() ? 0755 : 0700;
}

static int client_start_make_dir(const struct paths *p, const char *path, mode_t mode, struct errtext *err)
{
    int r = dirs_make(path, open_mode(p), mode);
    return r < 0 ? err_set(err, r, tr("cannot make the directory %s: %s"), path, strerror(-r)) : 0;
}

/* ---- the children ---- */

/* Between fork and exec: the parent may be a program with signal handlers and threads. */
static void reset_signals(void)
{
    for (int s = 1; s < NSIG; s++)
        signal(s, SIG_DFL);
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
}

static _Noreturn void run_stokerd(const char *program, unsigned flags, int log_fd)
{
    int null_fd = open("/dev/null", O_RDONLY);
    char name[] = "stokerd", accept_loss[] = "--accept-loss";
    char *argv[] = {name, flags & CLIENT_ACCEPT_LOSS ? accept_loss : NULL, NULL};
    if (null_fd < 0 || dup2(null_fd, 0) < 0 || dup2(log_fd, 1) < 0 || dup2(log_fd, 2) < 0 || chdir("/") < 0)
        _exit(126);
    syscall(SYS_close_range, 3u, ~0u, 0u);
    given_env_restore();
    execvp(program, argv);
    dprintf(2, "stoker: cannot start %s: %s\n", program, strerror(errno));
    _exit(127);
}

/* Writes the wait status of stokerd into fd, unless its other end is closed first. */
static _Noreturn void watch_stokerd(const char *program, unsigned flags, int log_fd, int fd)
{
    reset_signals();
    signal(SIGPIPE, SIG_IGN);
    setsid();
    pid_t pid = fork();
    if (pid < 0)
        _exit(1);
    if (pid == 0) {
        signal(SIGPIPE, SIG_DFL);
        setsid();
        run_stokerd(program, flags, log_fd);
    }
    close(log_fd);
    struct pollfd gone = {.fd = fd, .events = 0};
    for (;;) {
        int status;
        pid_t ended = waitpid(pid, &status, WNOHANG);
        if (ended == pid) {
            ssize_t n = write(fd, &status, sizeof status);
            _exit(n == sizeof status ? 0 : 1);
        }
        if (poll(&gone, 1, POLL_MS) > 0 && (gone.revents & (POLLERR | POLLHUP)))
            _exit(0);
    }
}

/* Returns the pipe's reading end. */
static int spawn(const char *program, unsigned flags, int log_fd, pid_t *ret_watcher)
{
    int fds[2];
    if (pipe2(fds, O_CLOEXEC) < 0)
        return -errno;
    sigset_t all, old;
    sigfillset(&all);
    sigprocmask(SIG_SETMASK, &all, &old);
    pid_t pid = fork();
    if (pid == 0) {
        close(fds[0]);
        watch_stokerd(program, flags, log_fd, fds[1]);
    }
    int r = pid < 0 ? -errno : 0;
    sigprocmask(SIG_SETMASK, &old, NULL);
    close(fds[1]);
    if (r < 0) {
        close(fds[0]);
        return r;
    }
    *ret_watcher = pid;
    return fds[0];
}

/* ---- the wait ---- */

/* The last line of what stokerd wrote since the file had size before; "" for none. */
static void last_line(int log_fd, off_t before, char *buf, size_t size)
{
    buf[0] = '\0';
    struct stat st;
    if (fstat(log_fd, &st) < 0 || st.st_size <= before)
        return;
    off_t from = st.st_size - before > (off_t)size - 1 ? st.st_size - (off_t)size + 1 : before;
    ssize_t n = pread(log_fd, buf, size - 1, from);
    buf[n > 0 ? n : 0] = '\0';
    char *text = str_trim(buf);
    char *newline = strrchr(text, '\n');
    char *line = newline ? newline + 1 : text;
    memmove(buf, line, strlen(line) + 1);
}

static int failure(const char *what, const char *log_path, int log_fd, off_t before, struct errtext *err)
{
    char line[TAIL_SIZE];
    last_line(log_fd, before, line, sizeof line);
    if (*line)
        return err_set(err, -ECONNREFUSED, tr("%s: %.600s (see %s)"), what, line, log_path);
    return err_set(err, -ECONNREFUSED, tr("%s (see %s)"), what, log_path);
}

/* Returns the socket once the controller answers. One that puts itself into the background ends with 0. A
 * large state takes its time to be checked: `stoker up` waits while the controller lives. */
static int wait_answer(const struct paths *p, unsigned flags, int *watch_fd, int64_t deadline,
                       const char **ret_what)
{
    int64_t say_at =
        (flags & (CLIENT_UP | CLIENT_SILENT)) == CLIENT_UP ? mono_ms() + SAY_AFTER_MS : INT64_MAX;
    for (;;) {
        int fd = client_dial(p->socket, NULL);
        if (fd >= 0)
            return fd;
        if (*watch_fd >= 0 && mono_ms() >= say_at) {
            fputs(tr("stoker: the controller is checking the state ...\n"), stderr);
            say_at = INT64_MAX;
        }
        if (mono_ms() >= deadline && (*watch_fd < 0 || !(flags & CLIENT_UP))) {
            *ret_what = tr("the controller was started but does not answer");
            return -1;
        }
        struct pollfd pfd = {.fd = *watch_fd, .events = POLLIN};
        int status = 0;
        if (poll(&pfd, 1, POLL_MS) <= 0)
            continue;
        if (read(*watch_fd, &status, sizeof status) == sizeof status && status != 0) {
            *ret_what = tr("the controller could not be started");
            return -1;
        }
        close(*watch_fd);
        *watch_fd = -1; /* poll now only sleeps */
    }
}

/* Two commands at once must not start two controllers: the second one waits here, and then finds the first
 * one's. */
static int lock_start(const struct paths *p, int64_t deadline, struct errtext *err)
{
    char *path = xasprintf("%s/start.lock", p->run);
    int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    if (fd < 0)
        err_set(err, -errno, tr("cannot write %s: %s"), path, strerror(errno));
    free(path);
    while (fd >= 0 && flock(fd, LOCK_EX | LOCK_NB) < 0 && mono_ms() < deadline)
        poll(NULL, 0, POLL_MS);
    return fd < 0 ? -EACCES : fd;
}

static int start_locked(const struct paths *p, unsigned flags, int64_t deadline, struct errtext *err)
{
    char *log_path = xasprintf("%s/stokerd.out", p->log);
    int log_fd = open(log_path, O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    if (log_fd < 0) {
        int r = err_set(err, -EACCES, tr("cannot write %s: %s"), log_path, strerror(errno));
        free(log_path);
        return r;
    }
    off_t before = lseek(log_fd, 0, SEEK_END);
    char *program = exe_path_program("stokerd");
    pid_t watcher = 0;
    int watch_fd = spawn(program, flags, log_fd, &watcher), fd;
    if (watch_fd < 0) {
        fd = err_set(err, watch_fd, tr("cannot start the controller: %s"), strerror(-watch_fd));
    } else {
        const char *what = "";
        fd = wait_answer(p, flags, &watch_fd, deadline, &what);
        if (fd < 0)
            fd = failure(what, log_path, log_fd, before, err);
        else if (!(flags & (CLIENT_UP | CLIENT_SILENT))) /* it was not asked for by that name */
            fprintf(
                stderr,
                tr("stoker: started a cluster of your own on this machine (%s); stoker down stops it\n"),
                p->home ? p->home : p->state);
        if (watch_fd >= 0)
            close(watch_fd);
        while (waitpid(watcher, NULL, 0) < 0 && errno == EINTR)
            ;
    }
    free(program);
    close(log_fd);
    free(log_path);
    return fd;
}

static int64_t start_wait_ms(void)
{
    const char *text = getenv(WAIT_VARIABLE);
    int ms = text ? atoi(text) : 0;
    return ms > 0 ? ms : START_WAIT_MS;
}

/* Beside its service manager a controller would lack the confinement of its unit, and come back as two. */
static bool is_service(const struct paths *p)
{
    return p->shared && access("/run/systemd/system", F_OK) == 0 &&
           access("/etc/systemd/system/stokerd.service", F_OK) == 0;
}

int client_start_controller(const struct paths *p, unsigned flags, struct errtext *err)
{
    if (p->shared && geteuid() != 0)
        return err_set(
            err, -ECONNREFUSED,
            tr("the controller of this machine (%s) does not run; an administrator starts it: %s"),
            p->config, paths_start_command(p));
    if (is_service(p))
        return err_set(err, -ECONNREFUSED, tr("the controller is a service of this machine: %s"),
                       paths_start_command(p));
    struct stat st;
    if (lstat(p->socket, &st) == 0 && S_ISLNK(st.st_mode))
        return err_set(
            err, -ECONNREFUSED,
            tr("this is a login node of a controller elsewhere, which is out of reach now; if it is "
               "one no more: rm %s"),
            p->socket);
    int64_t deadline = mono_ms() + start_wait_ms();
    int r = client_start_make_dir(p, p->run, open_mode(p), err);
    if (r == 0)
        r = client_start_make_dir(p, p->log, 0700, err);
    if (r < 0)
        return r;
    int lock_fd = lock_start(p, deadline, err);
    if (lock_fd < 0)
        return lock_fd;
    int fd = client_dial(p->socket, NULL);
    if (fd < 0)
        fd = start_locked(p, flags, deadline, err);
    close(lock_fd);
    return fd;
}
