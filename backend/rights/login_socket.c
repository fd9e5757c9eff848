#include "backend/rights/login_socket.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "src/base/xalloc.h"
#include "src/os/dirs.h"
#include "src/os/log.h"
#include "src/os/unixsock.h"

#define NAME "controller.sock"

/* NULL: none. Caller frees. */
static char *login_socket_place(const char *named, bool root)
{
    const char *state = getenv("XDG_STATE_HOME"), *home = getenv("HOME");
    if (named)
        return xstrdup(named);
    if (state && *state == '/')
        return xasprintf("%s/stoker/run/" NAME, state);
    if (root)
        return xstrdup("/run/stoker/" NAME);
    return home && *home == '/' ? xasprintf("%s/.local/state/stoker/run/" NAME, home) : NULL;
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

bool login_socket_update(const char *named, bool root, bool login, const char *to)
{
    char *path = login_socket_place(named, root), target[PATH_MAX];
    if (!path)
        return false;
    login_socket_read_target(path, target);
    bool ours = strcmp(target, to) == 0, wanted = named || login;
    bool taken = wanted && !ours && login_socket_is_taken(path, target);
    if (!wanted) {
        if (ours)
            unlink(path);
    } else if (!ours && !taken) {
        mode_t old = umask(root ? 022 : 077);
        dirs_above(path, 0755);
        umask(old);
        unlink(path);
        if (symlink(to, path) < 0)
            log_warn("cannot make %s: %s", path, strerror(errno));
        else
            log_info("commands find the controller at %s", path);
    }
    free(path);
    return taken;
}
