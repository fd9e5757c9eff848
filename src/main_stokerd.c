/* main_stokerd.c - the controller's program: arguments, directories, signals; everything else is in
 * backend/control.
 *
 * Runs in the foreground; `stoker up` starts it detached. With --foreground it logs to standard error, as
 * service managers want it, else to its log file.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "backend/confine/confine.h"
#include "backend/control/control.h"
#include "backend/control/lineage.h"
#include "backend/loop/loop.h"
#include "src/base/str.h"
#include "src/base/xalloc.h"
#include "src/conf/conf.h"
#include "src/conf/paths.h"
#include "src/conf/warn.h"
#include "src/os/dirs.h"
#include "src/os/log.h"
#include "src/os/privdrop.h"
#include "src/os/ulimit.h"
#include "src/values/opt.h"

struct daemon_state {
    struct loop *loop;
    struct control *control;
    struct paths paths;
    bool shared;          /* asked for, or the system's directories */
    bool root_serves_all; /* root has said so */
    bool everyone;        /* serves all users of the machine */
    bool accept_loss;
};

static void log_config_warnings(const struct cluster_spec *spec)
{
    struct strv texts = {0};
    conf_warnings(spec, &texts);
    for (size_t i = 0; i < texts.n; i++)
        log_warn("configuration: %s", texts.v[i]);
    strv_fini(&texts);
}

static int load_config(void *ctx, struct cluster_spec *ret, struct errtext *err)
{
    const struct paths *p = ctx;
    if (access(p->config, F_OK) == 0) {
        int r = conf_load(p->config, ret, err);
        if (r == 0)
            log_config_warnings(ret);
        return r;
    }
    if (errno != ENOENT)
        return err_set(err, -errno, "%s: %s", p->config, strerror(errno));
    conf_default(ret);
    return 0;
}

static void on_signal(void *ctx, int signo)
{
    struct daemon_state *d = ctx;
    struct errtext err;
    if (signo != SIGHUP) {
        log_info("stopping: %s", strsignal(signo));
        loop_stop(d->loop);
    } else if (control_reload(d->control, &err) < 0) {
        log_error("configuration refused, the old one is kept: %s", err.s);
    } else {
        log_info("configuration read again");
    }
}

static int make_dirs(const char *path, mode_t mode, struct errtext *err)
{
    int r = dirs_make(path, 0755, mode);
    return r < 0 ? err_set(err, r, "cannot make directory %s: %s", path, strerror(-r)) : 0;
}

/* The owner of a directory could exchange it while we use it. */
static int check_owner(const char *path, struct errtext *err)
{
    struct stat st;
    if (stat(path, &st) < 0)
        return err_set(err, -errno, "%s: %s", path, strerror(errno));
    if (st.st_uid != geteuid())
        return err_set(err, -EPERM, "%s belongs to uid %u, not to this user: refused", path, st.st_uid);
    return 0;
}

/* Held until the process ends. Tells a second controller the pid of the first. */
static int take_lock(const struct paths *p, struct errtext *err)
{
    char *path = xasprintf("%s/stokerd.lock", p->state);
    int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600), r = 0;
    char pid[32] = "";
    if (fd < 0) {
        r = err_set(err, -errno, "%s: %s", path, strerror(errno));
    } else if (flock(fd, LOCK_EX | LOCK_NB) < 0) {
        ssize_t n = pread(fd, pid, sizeof pid - 1, 0);
        pid[n > 0 ? n : 0] = '\0';
        r = err_set(err, -EBUSY, "another controller runs here (pid %s)", str_trim(pid));
        close(fd);
    } else {
        int n = snprintf(pid, sizeof pid, "%d\n", getpid());
        if (ftruncate(fd, 0) < 0 || pwrite(fd, pid, (size_t)n, 0) != n)
            log_warn("cannot write %s", path);
    }
    free(path);
    return r;
}

static void set_limits(void)
{
    uint64_t nofile = 0, core = ULIMIT_UNLIMITED;
    ulimit_get(ULIMIT_NOFILE, &nofile);
    ulimit_get(ULIMIT_CORE, &core);
    ulimit_bequeath(nofile, core); /* jobs of this machine's agents get the limits that were set before */
    ulimit_set(ULIMIT_CORE, 0);    /* memory holds users' environments */
    ulimit_set(ULIMIT_NOFILE, ULIMIT_UNLIMITED);
}

static int main_stokerd_open_log(const struct paths *p, bool foreground)
{
    int fd = -1;
    if (!foreground) {
        char *path = xasprintf("%s/stokerd.log", p->log);
        fd = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW, 0600);
        free(path);
    }
    log_open("stokerd", fd, LOG_LVL_INFO);
    return fd;
}

/* Started by root where a service account owns the state: becomes that account. Directories that only root
 * can make, below /run and /var/log, are made for it first. */
static int become_owner(const struct paths *p, struct errtext *err)
{
    struct stat st;
    if (geteuid() != 0 || stat(p->state, &st) < 0 || st.st_uid == 0)
        return 0;
    const char *dirs[] = {p->run, p->log};
    for (size_t i = 0; i < 2; i++) {
        int r = make_dirs(dirs[i], i ? 0700 : 0755, err);
        if (r < 0)
            return r;
        int fd = open(dirs[i], O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
        r = fd < 0 || fchown(fd, st.st_uid, st.st_gid) < 0 ? -errno : 0;
        if (fd >= 0)
            close(fd);
        if (r < 0)
            return err_set(err, r, "%s: %s", dirs[i], strerror(-r));
    }
    return privdrop_to_uid(st.st_uid, err);
}

/* A fault in a controller that is root and serves other users would give them the machine. */
static int refuse_root(const struct daemon_state *d, struct errtext *err)
{
    if (!d->shared || geteuid() != 0 || d->root_serves_all)
        return 0;
    return err_set(err, -EPERM,
                   "a shared controller does not run as root, but %s belongs to root or is missing: run "
                   "stoker init --shared, or give that directory to an account: chown ACCOUNT: %s",
                   d->paths.state, d->paths.state);
}

static int prepare(struct daemon_state *d, bool foreground, struct errtext *err)
{
    const struct paths *p = &d->paths;
    int r = d->shared ? become_owner(p, err) : 0;
    r = r ? r : refuse_root(d, err);
    r = r ? r : make_dirs(p->state, 0700, err);
    r = r ? r : make_dirs(p->run, d->everyone ? 0755 : 0700, err);
    r = r ? r : make_dirs(p->log, 0700, err);
    r = r ? r : check_owner(p->state, err);
    r = r ? r : check_owner(p->run, err);
    if (r < 0)
        return r;
    main_stokerd_open_log(p, foreground);
    return take_lock(p, err);
}

static int start(struct daemon_state *d, struct errtext *err)
{
    struct cluster_spec spec = {0};
    int r = load_config(&d->paths, &spec, err);
    if (r < 0)
        return r;
    char host[256] = "localhost";
    gethostname(host, sizeof host - 1);
    /* A service has its arguments in a unit. */
    char *once = xasprintf("%s/" LINEAGE_ACCEPT_LOSS, d->paths.state);
    struct control_config cfg = {.state_dir = d->paths.state,
                                 .run_dir = d->paths.run,
                                 .log_dir = d->paths.log,
                                 .socket = d->paths.socket,
                                 .host = host,
                                 .home = d->paths.home,
                                 .everyone = d->everyone,
                                 .accept_loss = d->accept_loss || access(once, F_OK) == 0,
                                 .spec = &spec,
                                 .reload = load_config,
                                 .reload_ctx = &d->paths};
    r = control_new(d->loop, &cfg, &d->control, err);
    free(once);
    return r;
}

/* A private controller starts this machine's agent, and tasks would inherit what it has given up. */
static void stokerd_give_up(const struct daemon_state *d)
{
    int r = d->shared && geteuid() != 0 ? confine_system_calls(CONFINE_SERVICE, "stokerd") : 0;
    if (r != 0)
        log_warn("system calls are not restricted%s%s", r < 0 ? ": " : "", r < 0 ? strerror(-r) : "");
}

struct daemon_options {
    bool foreground, shared, accept_loss;
};

static const struct opt daemon_table[] = {
    {OPT_SETS(struct daemon_options, foreground), .name = "foreground", .letter = 'f',
     .help = "log to standard error"},
    {OPT_SETS(struct daemon_options, shared), .name = "shared", .letter = 's',
     .help =
         "serve every user of this machine; started by root it becomes the owner of its state directory, "
         "who may not be root (implied for /etc/stoker)"},
    {OPT_SETS(struct daemon_options, accept_loss), .name = "accept-loss", .letter = 'a',
     .help = "start once with a state that has lost its last events; new job ids are higher than all "
             "earlier ones"},
};

static const struct opts daemon_opts = OPTS(daemon_table, NULL);
static const struct opt_program program = {
    .name = "stokerd",
    .usage = "[--foreground] [--shared] [--accept-loss]",
    .more = "Its files are in $STOKER_HOME, else in the system's or the user's directories.\n",
    .options = &daemon_opts,
};

int main(int argc, char **argv)
{
    struct daemon_options o = {0};
    int exit_code;
    if (!opt_parse_program(&program, &o, argc, argv, &exit_code))
        return exit_code;
    struct daemon_state d = {.accept_loss = o.accept_loss};
    struct errtext err = {""};
    paths_find(&d.paths);
    d.shared = o.shared || d.paths.shared;
    d.root_serves_all = paths_root_serves_all();
    d.everyone = d.shared || d.root_serves_all;
    if (d.shared) /* its memory has scripts and environments of all users */
        prctl(PR_SET_DUMPABLE, 0);
    log_open("stokerd", -1, LOG_LVL_INFO);
    set_limits();
    signal(SIGPIPE, SIG_IGN);
    signal(SIGXFSZ, SIG_IGN); /* a file that may not grow counts as a full disk */
    int r = prepare(&d, o.foreground, &err);
    if (r == 0) {
        static const int signals[] = {SIGTERM, SIGINT, SIGHUP};
        d.loop = loop_new();
        /* Before the store starts its thread, which must not get the signals. */
        loop_on_signals(d.loop, signals, 3, on_signal, &d);
        r = start(&d, &err);
    }
    if (r < 0) {
        fprintf(stderr, "stokerd: %s\n", err.s);
        if (!o.foreground)
            log_error("%s", err.s);
        loop_free(d.loop);
        paths_fini(&d.paths);
        return r == -EBUSY ? 3 : 1;
    }
    stokerd_give_up(&d);
    if (!d.everyone && geteuid() == 0)
        log_info("serves root alone; for all users of this machine: stoker init --shared");
    if (d.root_serves_all && geteuid() == 0)
        log_warn("serves all users as root, because " PATHS_ROOT_SERVES_ALL " is set");
    loop_run(d.loop);
    control_free(d.control);
    loop_free(d.loop);
    paths_fini(&d.paths);
    return 0;
}
