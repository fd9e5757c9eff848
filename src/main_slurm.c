/* main_slurm.c - stoker-slurm: a user's Slurm behind the protocol of the controller. Arguments and signals
 * only; everything else is in backend/slurm.
 *
 * Started by the client that needs it (src/client/client_slurm.c), never by a service manager. It ends some
 * seconds after its last client has left and leaves nothing behind.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include "backend/slurm/slurm_server.h"
#include "src/base/log.h"
#include "src/base/str.h"
#include "src/base/xalloc.h"

#define IDLE_MS       10000
#define IDLE_VARIABLE "STOKER_SLURM_IDLE_MS" /* for tests: another time */

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
    if (null < 0 || dup2(null, STDERR_FILENO) < 0 || chdir("/") < 0 || write(fd, &listens, 1) != 1)
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

int main(int argc, char **argv)
{
    if (argc != 3) {
        fputs("Usage: stoker-slurm SOCKET DIRECTORY\n"
              "Serves the Slurm whose commands are in DIRECTORY to the screens; stoker starts it.\n",
              stderr);
        return 2;
    }
    log_open("stoker-slurm", -1, LOG_LVL_WARN);
    int up = go_into_background(), lock = slurm_take_lock(argv[1]);
    if (lock == -EWOULDBLOCK) { /* another one serves it */
        tell_listening(up);
        return 0;
    }
    const char *idle = getenv(IDLE_VARIABLE);
    struct slurm_server_settings settings = {
        .socket = argv[1], .commands = argv[2], .idle_ms = idle ? atoll(idle) : IDLE_MS};
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
