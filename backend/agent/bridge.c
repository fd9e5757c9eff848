/* bridge.c - start or replace the agent, then carry bytes. */
#include "backend/agent/bridge.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "backend/confine/confine.h"
#include "backend/task/programs.h"
#include "src/base/str.h"
#include "src/base/xalloc.h"
#include "src/os/byte_bridge.h"
#include "src/os/clock.h"
#include "src/os/dirs.h"
#include "src/os/log.h"
#include "src/os/unixsock.h"
#include "src/proto/probe.h"

#define STOP_MS   5000 /* for an old agent to go */
#define START_MS  5000 /* for a new one to be there */
#define CONNECT_S 2
#define LOG_NAME  "agent.log"
#define LOG_MAX   (4 << 20) /* then it begins again, with one old file kept */

extern char **environ;

/* --- the agent --- */

/* The agent's lock file says "PID\nPROGRAM\n". Opens it; *ret_pid 0 where no process holds it. */
static int open_lock(const char *dir, pid_t *ret_pid, char *program, size_t size)
{
    char *path = xasprintf("%s/lock", dir), text[8192];
    int fd = open(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW);
    free(path);
    *ret_pid = 0;
    program[0] = '\0';
    if (fd < 0)
        return -errno;
    if (flock(fd, LOCK_SH | LOCK_NB) == 0) {
        flock(fd, LOCK_UN);
        return fd;
    }
    ssize_t n = pread(fd, text, sizeof text - 1, 0);
    text[n > 0 ? n : 0] = '\0';
    char *nl = strchr(text, '\n');
    *ret_pid = (pid_t)atoi(text);
    if (nl)
        snprintf(program, size, "%.*s", (int)strcspn(nl + 1, "\n"), nl + 1);
    return fd;
}

static bool wait_unlocked(int fd)
{
    int64_t end = mono_ms() + STOP_MS;
    const struct timespec pause = {.tv_nsec = 10000000};
    while (flock(fd, LOCK_SH | LOCK_NB) < 0) {
        if (mono_ms() > end)
            return false;
        nanosleep(&pause, NULL);
    }
    flock(fd, LOCK_UN);
    return true;
}

/* Asks an agent of another program to go. Its shims notice nothing. */
static int replace_other(const char *program, const char *dir, struct errtext *err)
{
    char other[4096];
    pid_t pid;
    int fd = open_lock(dir, &pid, other, sizeof other), r = 0;
    if (fd < 0)
        return 0; /* none has been here */
    if (pid > 1 && strcmp(other, program) != 0) {
        kill(pid, SIGTERM);
        if (!wait_unlocked(fd))
            r = err_set(err, -EBUSY, "the agent that runs here (process %d, %s) does not stop", (int)pid,
                        *other ? other : "of an older release");
    }
    close(fd);
    return r;
}

static void turn_log(const char *path)
{
    struct stat st;
    if (stat(path, &st) < 0 || st.st_size < LOG_MAX)
        return;
    char *old = xasprintf("%s.old", path);
    rename(path, old);
    free(old);
}

static int start_agent(const char *program, const char *node, const char *dir, struct errtext *err)
{
    char *log = xasprintf("%s/" LOG_NAME, dir);
    char name[] = "stoker-agent", opt_node[] = "--node", opt_dir[] = "--dir", opt_log[] = "--log",
         opt_daemon[] = "--daemon";
    char *the_node = xstrdup(node), *the_dir = xstrdup(dir);
    char *argv[] = {name, opt_node, the_node, opt_dir, the_dir, opt_log, log, opt_daemon, NULL};
    pid_t pid;
    int status = 0;
    turn_log(log);
    /* Its output is the channel's no more: what it says goes to standard error until it listens. */
    posix_spawn_file_actions_t files;
    posix_spawn_file_actions_init(&files);
    posix_spawn_file_actions_addopen(&files, 0, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_adddup2(&files, 2, 1);
    int r = posix_spawn(&pid, program, &files, NULL, argv, environ);
    posix_spawn_file_actions_destroy(&files);
    if (r != 0)
        r = err_set(err, -r, "cannot start %s: %s", program, strerror(r));
    while (r == 0 && waitpid(pid, &status, 0) < 0 && errno == EINTR)
        ;
    if (r == 0 && status != 0)
        r = err_set(err, -ECHILD, "the agent does not start");
    free(log);
    free(the_node);
    free(the_dir);
    return r;
}

static int reach_agent(const char *program, const char *node, const char *dir, struct errtext *err)
{
    int made = dirs_make(dir, 0755, 0700); /* what an agent needs private it makes so itself */
    if (made < 0)
        return err_set(err, made, "cannot make %s: %s", dir, strerror(-made));
    int r = replace_other(program, dir, err);
    if (r < 0)
        return r;
    char *path = xasprintf("%s/agent.sock", dir);
    int fd = unixsock_connect(path, 0, CONNECT_S);
    /* One that is on its way out listens no more and still holds the directory: then the one that is
     * started goes again, and is started once more. */
    for (int64_t end = mono_ms() + START_MS; fd < 0 && r == 0 && mono_ms() < end;) {
        const struct timespec pause = {.tv_nsec = 20000000};
        r = start_agent(program, node, dir, err);
        fd = r < 0 ? r : unixsock_connect(path, 0, CONNECT_S);
        if (fd < 0)
            nanosleep(&pause, NULL);
    }
    if (r == 0 && fd < 0)
        err_set(err, fd, "cannot reach the agent at %s: %s", path, strerror(-fd));
    free(path);
    return fd;
}

/* sshd's forced command is us, whatever was asked for; one question has an answer all the same. Its words
 * are our own: nothing that was sent is run. */
static bool bridge_is_asked(void)
{
    const char *sent = getenv("SSH_ORIGINAL_COMMAND");
    return sent && str_starts(sent, PROBE_MARK);
}

/* agent: what becomes of a connection to it; NULL: not tried. */
static int bridge_answer(const char *agent, struct errtext *err)
{
    static const char *const script =
        PROBE_SCRIPT "echo closed=yes; if [ -n \"$STOKER_PROBE_AGENT\" ]; then "
                     "echo \"agent=$STOKER_PROBE_AGENT\"; fi";
    setenv("STOKER_PROBE_AGENT", agent ? agent : "", 1);
    execl("/bin/sh", "sh", "-c", script, (char *)NULL);
    return err_set(err, -errno, "/bin/sh: %s", strerror(errno));
}

static int carry_from(int sock)
{
    signal(SIGPIPE, SIG_IGN);
    if (confine_system_calls(CONFINE_READER, "stoker-agent --bridge") < 0)
        log_debug("system calls of the bridge are not restricted");
    if (write(1, BRIDGE_HELLO, sizeof BRIDGE_HELLO - 1) == sizeof BRIDGE_HELLO - 1)
        byte_bridge_run(sock, 0, 1);
    close(sock);
    return 0;
}

int bridge_join(const char *socket, struct errtext *err)
{
    int sock = unixsock_connect(socket, 0, CONNECT_S);
    if (bridge_is_asked())
        return bridge_answer(sock < 0 ? strerror(-sock) : "ok", err);
    if (sock < 0)
        return err_set(err, sock, "no agent answers at %s: %s (is its service running?)", socket,
                       strerror(-sock));
    return carry_from(sock);
}

int bridge_run(const char *program, const char *node, const char *dir, struct errtext *err)
{
    signal(SIGPIPE, SIG_IGN);
    if (bridge_is_asked())
        return bridge_answer(NULL, err);
    int sock = reach_agent(program, node, dir, err);
    if (sock < 0)
        return sock;
    programs_clean(program);
    return carry_from(sock);
}
