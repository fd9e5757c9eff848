/* client_slurm.c - finds a Slurm and starts stoker-slurm, which puts itself into the background as soon as
 * it listens: so the end of the child that was started tells that it can be dialled, and no zombie stays.
 */
#include "src/client/client_slurm.h"

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "src/base/idmap.h"
#include "src/base/str.h"
#include "src/base/xalloc.h"
#include "src/lang/lang.h"
#include "src/os/clock.h"
#include "src/os/exe_path.h"
#include "src/os/file.h"
#include "src/os/path_search.h"
#include "src/os/spawn.h"
#include "src/os/unixsock.h"

#define START_WAIT_MS 5000
#define RETRY_MS      20
#define DIAL_WAIT_S   5
#define SAYS_MAX      512

/* --- where it is --- */

/* Stoker's own squeue is a link to stoker, wherever it was installed. */
static bool is_stokers(const char *file)
{
    char *real = realpath(file, NULL);
    bool ours = real && str_eq(basename(real), "stoker");
    free(real);
    return ours;
}

static bool look_at_squeue(void *ctx, const char *file)
{
    char **ret = ctx;
    struct stat st;
    if (*file != '/' || stat(file, &st) < 0 || !S_ISREG(st.st_mode) || access(file, X_OK) < 0 ||
        is_stokers(file))
        return false;
    char *copy = xstrdup(file);
    *ret = xstrdup(dirname(copy));
    free(copy);
    return true;
}

/* Another Slurm, by its commands or its configuration, has another server. */
static char *socket_of(const char *commands)
{
    const char *run = getenv("XDG_RUNTIME_DIR"), *conf = getenv("SLURM_CONF");
    char *which = xasprintf("%s\n%s", commands, conf ? conf : "");
    unsigned long long key = hash_bytes(which, strlen(which));
    char *path = run && *run == '/' ? xasprintf("%s/stoker-slurm/%016llx", run, key)
                                    : xasprintf("/tmp/stoker-slurm-%u/%016llx", (unsigned)geteuid(), key);
    free(which);
    return path;
}

bool slurm_place_find(struct slurm_place *ret)
{
    *ret = (struct slurm_place){0};
    if (!path_search(getenv("PATH"), "squeue", look_at_squeue, &ret->commands))
        return false;
    ret->socket = socket_of(ret->commands);
    return true;
}

void slurm_place_fini(struct slurm_place *p)
{
    free(p->commands);
    free(p->socket);
    *p = (struct slurm_place){0};
}

/* --- the server --- */

/* No other user may have made it or get into it: in /tmp anybody can make a directory of any name. */
static int make_private_dir(const char *socket, struct errtext *err)
{
    char *copy = xstrdup(socket);
    const char *dir = dirname(copy);
    struct stat st;
    int r = 0;
    if (mkdir(dir, 0700) < 0 && errno != EEXIST)
        r = err_set(err, -errno, tr("cannot make the directory %s: %s"), dir, strerror(errno));
    else if (lstat(dir, &st) < 0 || !S_ISDIR(st.st_mode) || st.st_uid != geteuid() || (st.st_mode & 077))
        r = err_set(err, -EPERM, tr("%s is not a directory of yours alone (mode 0700)"), dir);
    free(copy);
    return r;
}

/* Waits for the child; what it has said is the text of a failure. */
static int wait_started(pid_t pid, int says_fd, struct errtext *err)
{
    struct str says = STR_INIT;
    int status;
    file_read_fd(says_fd, SAYS_MAX, &says);
    while (waitpid(pid, &status, 0) < 0)
        if (errno != EINTR)
            return err_set(err, -errno, "stoker-slurm: %s", strerror(errno));
    int r = WIFEXITED(status) && WEXITSTATUS(status) == 0 ? 0 : -ECONNREFUSED;
    if (r < 0)
        err_set(err, r, tr("stoker-slurm could not be started: %s"),
                says.len ? str_trim(says.s) : tr("it said nothing"));
    str_fini(&says);
    return r;
}

static int start_server(const struct slurm_place *p, struct errtext *err)
{
    int null = open("/dev/null", O_RDWR | O_CLOEXEC), says[2];
    if (null < 0)
        return err_set(err, -errno, "/dev/null: %s", strerror(errno));
    if (pipe2(says, O_CLOEXEC) < 0) {
        close(null);
        return err_set(err, -errno, tr("no pipe can be made: %s"), strerror(errno));
    }
    char *program = exe_path_program("stoker-slurm"), name[] = "stoker-slurm";
    char *argv[] = {name, p->socket, p->commands, NULL};
    pid_t pid;
    int r = spawn_program(&(struct spawn){.path = program,
                                          .argv = argv,
                                          .fds = {{null, 0}, {null, 1}, {says[1], 2}},
                                          .n_fds = 3,
                                          .session = true},
                          &pid);
    close(null);
    close(says[1]);
    r = r < 0 ? err_set(err, r, tr("%s cannot be started: %s"), program, strerror(-r))
              : wait_started(pid, says[0], err);
    close(says[0]);
    free(program);
    return r;
}

int slurm_place_dial(const struct slurm_place *p, struct errtext *err)
{
    int r = make_private_dir(p->socket, err);
    if (r < 0)
        return r;
    /* One that is about to end holds its lock for a moment after its socket has gone. */
    for (int64_t deadline = mono_ms() + START_WAIT_MS;; poll(NULL, 0, RETRY_MS)) {
        int fd = unixsock_connect(p->socket, 0, DIAL_WAIT_S);
        if (fd >= 0)
            return fd;
        if (mono_ms() >= deadline)
            return err_set(err, fd, "%s: %s", p->socket, strerror(-fd));
        r = start_server(p, err);
        if (r < 0)
            return r;
    }
}
