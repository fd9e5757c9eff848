#include "src/conf/paths.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "src/base/str.h"
#include "src/base/xalloc.h"

#define SYSTEM_CONFIG "/etc/stoker/stoker.cfg"
#define SYSTEM_SOCKET "/run/stoker/controller.sock"

static bool paths_exists(const char *path)
{
    struct stat st;
    return stat(path, &st) == 0;
}

/* $name/stoker, else HOME/fallback/stoker. A relative path in an XDG variable is to be ignored. */
static char *xdg_dir(const char *name, const char *home, const char *fallback)
{
    const char *dir = getenv(name);
    if (dir && *dir == '/')
        return xasprintf("%s/stoker", dir);
    return xasprintf("%s/%s/stoker", home, fallback);
}

/* Below $XDG_RUNTIME_DIR; a job or a cron entry has none, and must still find the controller that was
 * started with one. On a login node the agent has put a link to its own socket below state: what is in
 * /run goes with the last login. */
static char *xdg_run_dir(const char *state)
{
    const char *dir = getenv("XDG_RUNTIME_DIR");
    bool given = dir && *dir == '/';
    char *run = given ? xasprintf("%s/stoker", dir) : xasprintf("/run/user/%u/stoker", (unsigned)geteuid());
    char *usual = xasprintf("%s/controller.sock", run), *door = xasprintf("%s/run/controller.sock", state);
    struct stat st;
    bool is_there = paths_exists(usual) || (given && lstat(door, &st) < 0);
    free(usual);
    free(door);
    if (is_there)
        return run;
    free(run);
    return xasprintf("%s/run", state);
}

static char *paths_absolute(const char *path)
{
    char *cwd = *path == '/' ? NULL : get_current_dir_name();
    char *abs = cwd ? xasprintf("%s/%s", cwd, path) : xstrdup(path);
    free(cwd);
    for (size_t n = strlen(abs); n > 1 && abs[n - 1] == '/';)
        abs[--n] = '\0';
    return abs;
}

void paths_find_below(struct paths *p, const char *user_home)
{
    *p = (struct paths){0};
    const char *home = getenv("STOKER_HOME");
    if (!str_is_empty(home)) {
        p->home = paths_absolute(home);
        p->config = xasprintf("%s/stoker.cfg", p->home);
        p->state = xasprintf("%s/state", p->home);
        p->run = xasprintf("%s/run", p->home);
        p->log = xasprintf("%s/log", p->home);
    } else if (paths_exists(SYSTEM_CONFIG) || paths_exists(SYSTEM_SOCKET)) {
        p->shared = true;
        p->config = xstrdup(SYSTEM_CONFIG);
        p->state = xstrdup("/var/lib/stoker");
        p->run = xstrdup("/run/stoker");
        p->log = xstrdup("/var/log/stoker");
    } else {
        char *config = xdg_dir("XDG_CONFIG_HOME", user_home, ".config");
        p->config = xasprintf("%s/stoker.cfg", config);
        free(config);
        p->state = xdg_dir("XDG_STATE_HOME", user_home, ".local/state");
        p->run = xdg_run_dir(p->state);
        p->log = xasprintf("%s/log", p->state);
    }
    const char *socket = getenv("STOKER_SOCKET");
    p->socket = str_is_empty(socket) ? xasprintf("%s/controller.sock", p->run) : paths_absolute(socket);
}

const char *paths_start_command(const struct paths *p)
{
    return p->shared ? "systemctl start stokerd" : "stoker up";
}

const char *paths_restart_command(const struct paths *p)
{
    return p->shared ? "systemctl restart stokerd" : "stoker down && stoker up";
}

bool paths_root_serves_all(void)
{
    const char *all = getenv(PATHS_ROOT_SERVES_ALL);
    return geteuid() == 0 && all && strcmp(all, "1") == 0;
}

void paths_fini(struct paths *p)
{
    free(p->home);
    free(p->config);
    free(p->state);
    free(p->run);
    free(p->log);
    free(p->socket);
    *p = (struct paths){0};
}
