/* login_socket.c - where commands on a login node look for a controller: a link there to this agent's own
 * socket.
 *
 * The place is the one where a controller of this machine would listen, so that nobody has to be told. It
 * stays when the agent goes: whoever calls meanwhile must hear that the controller is away, and not start
 * one of his own. What somebody else has put there is left alone.
 */
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "backend/agent/agent_private.h"
#include "src/base/dirs.h"
#include "src/base/log.h"
#include "src/base/unixsock.h"
#include "src/base/xalloc.h"

#define NAME "controller.sock"

/* NULL: none. Caller frees. */
static char *find_place(const struct agent *a)
{
    const char *state = getenv("XDG_STATE_HOME"), *home = getenv("HOME");
    if (a->cfg.clients)
        return xstrdup(a->cfg.clients);
    if (state && *state == '/')
        return xasprintf("%s/stoker/run/" NAME, state);
    if (a->root)
        return xstrdup("/run/stoker/" NAME);
    return home && *home == '/' ? xasprintf("%s/.local/state/stoker/run/" NAME, home) : NULL;
}

static bool wanted(const struct agent *a)
{
    return a->cfg.clients || (a->has_spec && str_eq(a->spec.role, "login"));
}

/* Of the link at path; "" where there is no link. */
static void read_target(const char *path, char target[static PATH_MAX])
{
    ssize_t n = readlink(path, target, PATH_MAX - 1);
    target[n > 0 ? n : 0] = '\0';
}

/* A link that leads to nobody is of yesterday; a socket may be of a controller that has only stopped. */
static bool is_taken(const char *path, const char *target)
{
    struct stat st;
    if (lstat(path, &st) < 0)
        return false;
    int fd = unixsock_connect(path, SOCK_NONBLOCK, 0);
    if (fd >= 0)
        close(fd);
    return !*target || (fd != -ECONNREFUSED && fd != -ENOENT);
}

void door_keep(struct agent *a, const char *to)
{
    char *path = find_place(a), target[PATH_MAX];
    if (!path)
        return;
    read_target(path, target);
    bool ours = strcmp(target, to) == 0;
    if (!wanted(a)) {
        if (ours)
            unlink(path);
    } else if (!ours && is_taken(path, target)) {
        if (!a->door_told)
            log_warn("%s is somebody else's: commands here do not find this cluster by themselves", path);
        a->door_told = true;
    } else if (!ours) {
        mode_t old = umask(a->root ? 022 : 077);
        dirs_above(path, 0755);
        umask(old);
        unlink(path);
        if (symlink(to, path) < 0)
            log_warn("cannot make %s: %s", path, strerror(errno));
        else
            log_info("commands find the controller at %s", path);
    }
    free(path);
}
