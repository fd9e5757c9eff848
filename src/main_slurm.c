/* main_slurm.c - stoker-slurm: a user's Slurm behind the protocol of the controller. Arguments and signals
 * only; everything else is in backend/slurm.
 *
 * Started by the client that needs it (src/client/client_slurm.c), never by a service manager. It ends some
 * seconds after its last client has left, and leaves nothing behind but what was submitted in the last
 * hour. With --stdio it is what a client elsewhere has brought here (src/client/client_remote.c): static,
 * so that it runs beside any C library.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "backend/slurm/host/slurm_host.h"
#include "backend/slurm/host/slurm_shared.h"
#include "backend/slurm/slurm_server.h"
#include "backend/slurm/slurm_srun.h"
#include "backend/task/programs.h"
#include "src/base/str.h"
#include "src/base/xalloc.h"
#include "src/carry/boot.h"
#include "src/client/client_find.h"
#include "src/client/client_slurm.h"
#include "src/jobspec/jobopts.h"
#include "src/os/byte_bridge.h"
#include "src/os/exe_path.h"
#include "src/os/file.h"
#include "src/os/log.h"

#define IDLE_MS         10000
#define PATH_TEXT_MAX   65536
#define IDLE_VARIABLE   "STOKER_SLURM_IDLE_MS" /* for tests: other times */
#define SETTLE_VARIABLE "STOKER_SLURM_SETTLE_MS"

/* This program is static, and such programs cannot load what looks up names: --uid in a script is not read
 * here, and goes to sbatch as it stands there. */
bool jobopts_find_user(const char *name, unsigned *ret_uid)
{
    (void)name;
    (void)ret_uid;
    return false;
}

static void slurm_on_signal(void *ctx, int signo)
{
    if (signo != SIGPIPE)
        loop_stop(ctx);
}

/* The client that has started it waits for the end of this process: it is over when the one in the
 * background listens, or could not. Returns what that one tells through. The loop is made behind the fork:
 * its signals would wake the first process. */
static int go_into_background(void)
{
    int fds[2];
    char listens = 0;
    if (pipe2(fds, O_CLOEXEC) < 0)
        _exit(EXIT_FAILURE);
    pid_t pid = fork();
    if (pid == 0) {
        close(fds[0]);
        setsid();
        return fds[1];
    }
    close(fds[1]);
    bool is_up = pid > 0 && read(fds[0], &listens, 1) == 1 && listens;
    _exit(is_up ? 0 : EXIT_FAILURE);
}

/* What it could not do has been said. */
static void tell_listening(int fd)
{
    int null = open("/dev/null", O_RDWR | O_CLOEXEC);
    const char listens = 1;
    if (null < 0 || dup2(null, STDOUT_FILENO) < 0 || dup2(null, STDERR_FILENO) < 0 || chdir("/") < 0 ||
        write(fd, &listens, 1) != 1)
        _exit(EXIT_FAILURE);
    close(null);
    close(fd);
}

/* Held for as long as it runs: only one serves a socket. Returns a descriptor or a negative errno. */
static int slurm_take_lock(const char *socket)
{
    char *path = xasprintf("%s.lock", socket);
    int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
    int r = fd < 0 ? -errno : fd;
    free(path);
    if (fd >= 0 && flock(fd, LOCK_EX | LOCK_NB) < 0) {
        close(fd);
        return -EWOULDBLOCK;
    }
    return r;
}

/* --- the far end of an ssh connection --- */

/* An ssh command has the PATH of a shell that is not a login shell: where Slurm is not in it, the login
 * shell is asked. */
static void take_login_path(void)
{
    struct str text = STR_INIT;
    FILE *f = popen("\"${SHELL:-/bin/sh}\" -l -c 'printenv PATH' </dev/null 2>/dev/null | tail -n 1", "re");
    if (f && file_read_fd(fileno(f), PATH_TEXT_MAX, &text) == 0 && text.len && *text.s == '/')
        setenv("PATH", str_trim(text.s), 1);
    if (f)
        pclose(f);
    str_fini(&text);
}

/* "-" where it is not there or more than a word. */
static const char *env_word(const char *name)
{
    const char *value = getenv(name);
    return str_is_empty(value) || strpbrk(value, " \t\r\n") ? "-" : value;
}

/* Joins standard input and output with the controller of this machine, or with the server over its Slurm,
 * as a client here would find them. Returns the exit code. */
static int serve_stdio(void)
{
    struct paths p;
    struct errtext err = {""};
    const char *home = getenv("HOME");
    char *program = exe_path();
    signal(SIGPIPE, SIG_IGN);
    programs_hold();
    paths_find_below(&p, home && *home == '/' ? home : "/");
    int fd = client_find(&p, true, &err);
    if (fd == -ENOENT || fd == -ECONNREFUSED) {
        take_login_path();
        fd = client_find(&p, true, &err);
    }
    if (fd == -ENOENT || fd == -ECONNREFUSED)
        err_set(&err, fd, "no controller of Stoker runs there, and there is no Slurm");
    paths_fini(&p);
    if (fd < 0)
        printf(BOOT_MARK "FAIL %s\n", err.s);
    else
        printf(BOOT_BRIDGE " %s %s %s\n", env_word("USER"), env_word("HOME"), env_word("SHELL"));
    if (fflush(stdout) == 0 && fd >= 0) {
        if (program)
            programs_clean(program);
        byte_bridge_run(fd, STDIN_FILENO, STDOUT_FILENO);
    }
    free(program);
    return fd < 0;
}

/* --- the server --- */

static int serve_socket(char **argv)
{
    log_open("stoker-slurm", -1, LOG_LVL_WARN);
    int up = go_into_background(), lock = slurm_take_lock(argv[1]);
    if (lock == -EWOULDBLOCK) { /* another one serves it */
        tell_listening(up);
        return 0;
    }
    const char *idle = getenv(IDLE_VARIABLE), *settle = getenv(SETTLE_VARIABLE);
    struct slurm_server_settings settings = {.socket = argv[1],
                                             .commands = argv[2],
                                             .idle_ms = idle ? atoll(idle) : IDLE_MS,
                                             .settle_ms = settle ? atoll(settle) : 0};
    struct loop *loop = loop_new();
    struct slurm_server *server = NULL;
    struct errtext err = {""};
    loop_on_signals(loop, (int[]){SIGTERM, SIGINT, SIGHUP, SIGPIPE}, 4, slurm_on_signal, loop);
    if (lock < 0 || slurm_server_new(loop, &settings, &server, &err) < 0) {
        fprintf(stderr, "stoker-slurm: %s\n", *err.s ? err.s : strerror(-lock));
        return EXIT_FAILURE;
    }
    tell_listening(up);
    loop_run(loop);
    slurm_server_free(server);
    loop_free(loop);
    close(lock);
    return 0;
}

/* --- the service of a machine --- */

/* In the foreground, for a service manager. It goes on where Slurm hides data, and refuses all questions:
 * the configuration may change. */
static int serve_host(void)
{
    struct slurm_place place;
    struct errtext err = {""};
    if (!slurm_place_find(&place)) {
        fputs("stoker-slurm: there is no Slurm here: squeue is not in PATH\n", stderr);
        return EXIT_FAILURE;
    }
    log_open("stoker-slurm", -1, LOG_LVL_WARN);
    char *socket = slurm_shared_socket(place.socket);
    struct loop *loop = loop_new();
    struct slurm_host *host = NULL;
    loop_on_signals(loop, (int[]){SIGTERM, SIGINT, SIGHUP, SIGPIPE}, 4, slurm_on_signal, loop);
    int lock = slurm_take_lock(socket);
    int r = lock == -EWOULDBLOCK ? err_set(&err, lock, "%s is served already", socket)
            : lock < 0           ? err_set(&err, lock, "%s: %s", socket, strerror(-lock))
                                 : slurm_host_new(loop, socket, place.commands, &host, &err);
    if (r < 0)
        fprintf(stderr, "stoker-slurm: %s\n", err.s);
    else
        loop_run(loop);
    slurm_host_free(host);
    loop_free(loop);
    if (lock >= 0)
        close(lock);
    free(socket);
    slurm_place_fini(&place);
    return r < 0 ? EXIT_FAILURE : 0;
}

/* A child of the user's server (slurm_poll.c). */
static int ask_shared(char **argv)
{
    struct errtext err = {""};
    signal(SIGPIPE, SIG_IGN);
    if (slurm_shared_fetch(argv[2], argv[3], STDOUT_FILENO, &err) == 0)
        return 0;
    fprintf(stderr, "stoker-slurm: error: %s\n", err.s);
    return EXIT_FAILURE;
}

/* --- inside an allocation --- */

static void allocation_is_ready(void *ctx)
{
    tell_listening(*(int *)ctx);
}

static int allocation_lock(const char *home)
{
    char *dir = xasprintf("%s/run", home), *path = xasprintf("%s/agents", dir);
    mkdir(dir, 0700);
    int fd = slurm_take_lock(path);
    free(dir);
    free(path);
    return fd;
}

/* --allocation JOB HOME, in the background once it serves; --stream JOB HOME NODE. */
static int serve_allocation(char **argv, const char *node)
{
    struct slurm_place place;
    struct errtext err = {""};
    if (!slurm_place_find(&place)) {
        fputs("stoker-slurm: there is no Slurm here: squeue is not in PATH\n", stderr);
        return EXIT_FAILURE;
    }
    char *self = exe_path(), *agent = exe_path_program("stoker-agent");
    struct slurm_srun_settings settings = {
        .job = argv[2], .home = argv[3], .commands = place.commands, .self = self, .agent = agent};
    int up = node ? -1 : go_into_background(), lock = node ? 0 : allocation_lock(argv[3]);
    int r;
    if (node) {
        r = slurm_srun_stream(&settings, node, &err);
    } else if (lock == -EWOULDBLOCK) { /* another one serves: of an earlier start of the controller */
        puts("0");
        fflush(stdout);
        tell_listening(up);
        r = 0;
    } else {
        r = lock < 0 ? err_set(&err, lock, "%s/run: %s", argv[3], strerror(-lock))
                     : slurm_srun_serve(&settings, allocation_is_ready, &up, &err);
    }
    if (r < 0)
        fprintf(stderr, "%s\n", err.s);
    slurm_place_fini(&place);
    free(agent);
    free(self);
    return r < 0 ? EXIT_FAILURE : 0;
}

int main(int argc, char **argv)
{
    if (argc == 4 && str_eq(argv[1], "--allocation"))
        return serve_allocation(argv, NULL);
    if (argc == 5 && str_eq(argv[1], "--stream"))
        return serve_allocation(argv, argv[4]);
    if (argc == 2 && str_eq(argv[1], "--stdio"))
        return serve_stdio();
    if (argc == 2 && str_eq(argv[1], "--host"))
        return serve_host();
    if (argc == 4 && str_eq(argv[1], "--shared"))
        return ask_shared(argv);
    if (argc == 3 && *argv[1] != '-')
        return serve_socket(argv);
    fputs(
        "Usage: stoker-slurm SOCKET DIRECTORY\n"
        "       stoker-slurm --stdio\n"
        "       stoker-slurm --host\n"
        "Serves the Slurm whose commands are in DIRECTORY to the screens; stoker starts it. With --stdio\n"
        "it is the far end of `stoker user@host`; with --host one poll for all users of this machine.\n",
        stderr);
    return 2;
}
