#include "backend/agent/login_socket.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "backend/agent/agent_internal.h"
#include "src/base/dirs.h"
#include "src/base/log.h"
#include "src/base/unixsock.h"
#include "src/base/xalloc.h"

#define NAME "controller.sock"

/* NULL: none. Caller frees. */
static char *login_socket_place(const struct agent *a)
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

static bool login_socket_is_wanted(const struct agent *a)
{
    return a->cfg.clients || (a->facts.has_spec && str_eq(a->facts.spec.role, "login"));
}

/* Of the symlink at path; "" where there is none. */
static void login_socket_read_target(const char *path, char target[static PATH_MAX])
{
    ssize_t n = readlink(path, target, PATH_MAX - 1);
    target[n > 0 ? n : 0] = '\0';
}

/* A symlink that leads to no socket is stale; a socket may belong to a controller that has only stopped. */
static bool login_socket_is_taken(const char *path, const char *target)
{
    struct stat st;
    if (lstat(path, &st) < 0)
        return false;
    int fd = unixsock_connect(path, SOCK_NONBLOCK, 0);
    if (fd >= 0)
        close(fd);
    return !*target || (fd != -ECONNREFUSED && fd != -ENOENT);
}

void login_socket_update(const struct agent *a, const char *to, bool *told)
{
    char *path = login_socket_place(a), target[PATH_MAX];
    if (!path)
        return;
    login_socket_read_target(path, target);
    bool ours = strcmp(target, to) == 0;
    if (!login_socket_is_wanted(a)) {
        if (ours)
            unlink(path);
    } else if (!ours && login_socket_is_taken(path, target)) {
        if (!*told)
            log_warn("%s is not ours: commands here do not find this cluster by themselves", path);
        *told = true;
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
