/* main_demo.c - stoker-demo: what `stoker --demo` runs.
 *
 *     this process --fork--> the cluster, in a session of its own
 *          |
 *          +--exec--> stoker-ui, or a command
 *
 * The kernel tells the cluster when this process ends, however that happens; it then removes its folder. A
 * cluster that was killed leaves its folder, which the next demo of the same user removes.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "backend/demo/demo.h"
#include "src/base/xalloc.h"
#include "src/lang/lang.h"
#include "src/os/clock.h"
#include "src/os/clock_system.h"
#include "src/os/exe_path.h"
#include "src/os/log.h"
#include "src/os/ulimit.h"
#include "src/values/opt.h"
#include "src/values/time_parse.h"
#include "src/values/units.h"

#define PREFIX    "stoker-demo."
#define SPEED_MAX 1000
#define OPEN_FDS  16

/* The clock of the whole program. */
static struct demo_clock demo_time;
static bool has_demo_time;

struct mono mono_read(void)
{
    return has_demo_time ? demo_clock_mono(&demo_time) : clock_system_mono();
}

struct wall wall_read(void)
{
    return has_demo_time ? demo_clock_wall(&demo_time) : clock_system_wall();
}

struct demo_options {
    uint32_t speed;
    uint64_t seed;
    enum demo_size size;
    struct wall at; /* the clock stands still then; unset: it goes on from now */
    bool is_demo, is_admin, serve;
    const char *says_start; /* in the user's language */
    char **rest;            /* of the command line */
};

/* --- the folder --- */

static int demo_remove_one(const char *path, const struct stat *st, int type, struct FTW *at)
{
    (void)st;
    (void)type;
    (void)at;
    return remove(path) < 0 && errno != ENOENT ? -1 : 0;
}

static void demo_remove_dir(const char *dir)
{
    nftw(dir, demo_remove_one, OPEN_FDS, FTW_DEPTH | FTW_PHYS);
}

/* In memory where there is such a file system: nothing here is to outlast the program. */
static const char *demo_base_dir(void)
{
    const char *tmp = getenv("TMPDIR");
    return access("/dev/shm", W_OK | X_OK) == 0 ? "/dev/shm" : str_is_empty(tmp) ? "/tmp" : tmp;
}

/* Held while its demo lives. Returns the descriptor, or -1. */
static int demo_lock_dir(const char *dir)
{
    char *path = xasprintf("%s/lock", dir);
    int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
    free(path);
    if (fd >= 0 && flock(fd, LOCK_EX | LOCK_NB) < 0) {
        close(fd);
        fd = -1;
    }
    return fd;
}

/* A demo that is being made has no lock yet, for a moment. */
static bool demo_is_left_over(const char *dir)
{
    struct stat st;
    if (lstat(dir, &st) < 0 || !S_ISDIR(st.st_mode) || st.st_uid != geteuid() ||
        clock_system_wall().ms / MS_PER_S - st.st_mtime < 10)
        return false;
    int fd = demo_lock_dir(dir);
    if (fd >= 0)
        close(fd);
    return fd >= 0;
}

static void demo_sweep(const char *base)
{
    DIR *d = opendir(base);
    for (struct dirent *e; d && (e = readdir(d));) {
        if (!str_starts(e->d_name, PREFIX))
            continue;
        char *dir = xasprintf("%s/%s", base, e->d_name);
        if (demo_is_left_over(dir))
            demo_remove_dir(dir);
        free(dir);
    }
    if (d)
        closedir(d);
}

static char *demo_make_dir(void)
{
    const char *base = demo_base_dir();
    demo_sweep(base);
    char *dir = xasprintf("%s/" PREFIX "XXXXXX", base);
    if (mkdtemp(dir))
        return dir;
    fprintf(stderr, "stoker --demo: %s: %s\n", dir, strerror(errno));
    free(dir);
    return NULL;
}

/* --- the cluster --- */

struct demo_process {
    struct loop *loop;
    struct demo *demo;
};

static void demo_on_signal(void *ctx, int signo)
{
    (void)signo;
    demo_stop(((struct demo_process *)ctx)->demo);
}

static int demo_open_log(const char *dir)
{
    char *path = xasprintf("%s/demo.log", dir);
    int fd = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    free(path);
    log_open("stoker-demo", fd, LOG_LVL_INFO);
    return fd;
}

/* Serves until a signal comes; ready_fd is told when the past has been played: "" for good, or why not. */
static int demo_serve(const struct demo_options *o, const char *dir, int ready_fd)
{
    static const int signals[] = {SIGTERM, SIGINT, SIGHUP};
    struct demo_process p = {.loop = NULL};
    struct errtext err = {""};
    int lock = demo_lock_dir(dir), log = demo_open_log(dir);
    signal(SIGPIPE, SIG_IGN);
    ulimit_set(ULIMIT_NOFILE, ULIMIT_UNLIMITED);
    struct wall at = wall_is_set(o->at) ? o->at : clock_system_wall();
    demo_clock_init(&demo_time, at);
    has_demo_time = true;
    p.loop = loop_new();
    loop_on_signals(p.loop, signals, 3, demo_on_signal, &p);
    struct demo_config cfg = {.dir = dir,
                              .loop = p.loop,
                              .clock = &demo_time,
                              .at = at,
                              .seed = o->seed,
                              .size = o->size,
                              .is_admin = o->is_admin};
    int r = demo_new(&cfg, &p.demo, &err);
    ssize_t n = ready_fd >= 0 ? write(ready_fd, err.s, strlen(err.s) + 1) : 0;
    if (ready_fd >= 0)
        close(ready_fd);
    if (r == 0 && n >= 0)
        demo_run(p.demo, wall_is_set(o->at) ? 0 : o->speed);
    else if (ready_fd < 0)
        fprintf(stderr, "stoker --demo: %s\n", err.s);
    demo_free(p.demo);
    loop_free(p.loop);
    demo_remove_dir(dir);
    if (log >= 0)
        close(log);
    if (lock >= 0)
        close(lock);
    return r < 0 ? EXIT_FAILURE : EXIT_SUCCESS;
}

/* In a session of its own: keys that stop or interrupt what is in front do not reach it. */
static _Noreturn void demo_run_child(const struct demo_options *o, const char *dir, int ready_fd,
                                     pid_t parent)
{
    int null_fd = open("/dev/null", O_RDWR);
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    setsid();
    if (getppid() != parent || null_fd < 0 || dup2(null_fd, 0) < 0 || dup2(null_fd, 1) < 0 ||
        dup2(null_fd, 2) < 0) {
        demo_remove_dir(dir);
        _exit(EXIT_FAILURE);
    }
    _exit(demo_serve(o, dir, ready_fd));
}

/* The past of the cluster is played first, which takes a second or more: a terminal says so meanwhile. */
static void demo_say(const char *text)
{
    if (isatty(STDERR_FILENO))
        fputs(text, stderr);
}

/* False, with the message said, where it does not start. */
static bool demo_start(const struct demo_options *o, const char *dir)
{
    int fds[2];
    char why[sizeof(struct errtext)] = "";
    pid_t parent = getpid();
    if (pipe2(fds, O_CLOEXEC) < 0)
        return false;
    pid_t pid = fork();
    if (pid == 0) {
        close(fds[0]);
        demo_run_child(o, dir, fds[1], parent);
    }
    close(fds[1]);
    demo_say(o->says_start);
    ssize_t n = pid < 0 ? -1 : read(fds[0], why, sizeof why - 1);
    close(fds[0]);
    demo_say("\r\033[K");
    if (n == 1)
        return true;
    fprintf(stderr, "stoker --demo: %s\n", n > 1 ? why : "the cluster has not started");
    return false;
}

/* --- what shows it --- */

/* Views are remembered in the demo's folder; what the user has set for the screens holds. */
static void demo_link_settings(const char *dir)
{
    static const char *const names[] = {"ui.cfg", "themes"};
    const char *xdg = getenv("XDG_CONFIG_HOME"), *home = getenv("HOME");
    char *from =
        str_is_empty(xdg) ? xasprintf("%s/.config/stoker", home ? home : "") : xasprintf("%s/stoker", xdg);
    char *config = xasprintf("%s/config", dir), *to = xasprintf("%s/stoker", config);
    if (mkdir(config, 0700) == 0 && mkdir(to, 0700) == 0)
        for (size_t i = 0; i < 2; i++) {
            char *target = xasprintf("%s/%s", from, names[i]), *link = xasprintf("%s/%s", to, names[i]);
            if (access(target, R_OK) == 0 && symlink(target, link) < 0)
                log_debug("%s: %s", link, strerror(errno));
            free(target);
            free(link);
        }
    setenv("XDG_CONFIG_HOME", config, 1);
    free(from);
    free(config);
    free(to);
}

static void demo_set_environment(const char *dir)
{
    static const char *const gone[] = {"STOKER_SOCKET", "SLURM_JOB_ID", "SLURM_JOBID", "SLURM_STEP_ID"};
    for (size_t i = 0; i < sizeof gone / sizeof *gone; i++)
        unsetenv(gone[i]);
    setenv("STOKER_HOME", dir, 1);
}

/* Returns only where it cannot be started. */
static int demo_show(const struct demo_options *o, const char *dir)
{
    char stoker[] = "stoker", ui[] = "stoker-ui", jobs[] = "jobs";
    bool is_command = o->rest[0] && (*o->rest[0] != '-' || str_eq(o->rest[0], "--plain"));
    char *program = is_command ? stoker : ui;
    bool on_terminal = isatty(STDIN_FILENO) && isatty(STDOUT_FILENO);
    struct strv argv = {0};
    if (!o->rest[0] && !on_terminal)
        program = stoker;
    strv_push(&argv, program);
    if (program == stoker && !o->rest[0])
        strv_push(&argv, jobs);
    if (program == ui) {
        char *speed = xasprintf("--clock-speed=%u", wall_is_set(o->at) ? 0 : o->speed);
        strv_push_take(&argv, speed);
        demo_link_settings(dir);
    }
    for (char **a = o->rest; *a; a++)
        strv_push(&argv, *a);
    demo_set_environment(dir);
    int r = exe_path_exec(program, argv.v);
    fprintf(stderr, "stoker --demo: %s: %s\n", program, strerror(-r));
    strv_fini(&argv);
    return EXIT_FAILURE;
}

/* --- arguments --- */

enum { O_SPEED = 1, O_SEED, O_SIZE, O_AT };

static int demo_take_number(const struct opt *opt, const char *arg, uint64_t most, uint64_t *ret,
                            struct errtext *err)
{
    char *end;
    errno = 0;
    unsigned long long n = strtoull(arg, &end, 10);
    if (*arg < '0' || *arg > '9' || *end || errno || n > most || (opt->id == O_SPEED && !n))
        return err_set(err, -EINVAL, "--%s needs a number from %u to %llu, not '%s'", opt->name,
                       opt->id == O_SPEED, (unsigned long long)most, arg);
    *ret = n;
    return 0;
}

static int demo_take_option(void *ctx, const struct opt *opt, const char *arg, struct errtext *err)
{
    struct demo_options *o = ctx;
    uint64_t n = 0;
    int r = 0;
    switch (opt->id) {
    case O_SPEED:
        r = demo_take_number(opt, arg, SPEED_MAX, &n, err);
        o->speed = (uint32_t)n;
        return r;
    case O_SEED: return demo_take_number(opt, arg, UINT64_MAX, &o->seed, err);
    case O_SIZE:
        return demo_size_parse(arg, &o->size)
                   ? 0
                   : err_set(err, -EINVAL, "--size needs small, lab or cluster, not '%s'", arg);
    case O_AT: return wall_parse(arg, clock_system_wall(), &o->at, err);
    default: return 0;
    }
}

static const struct opt table[] = {
    {OPT_SETS(struct demo_options, is_demo), .name = "demo"},
    {.id = O_SPEED,
     .name = "speed",
     .arg = OPT_REQUIRED,
     .meta = "N",
     .help = N_("time goes N times as fast")},
    {.id = O_SEED,
     .name = "seed",
     .arg = OPT_REQUIRED,
     .meta = "N",
     .help = N_("other jobs with another number; the same ones with the same (1)")},
    {.id = O_SIZE,
     .name = "size",
     .arg = OPT_REQUIRED,
     .meta = "S",
     .help = N_("small: 3 nodes, lab: 10 (the default), cluster: 64")},
    {.id = O_AT,
     .name = "at",
     .arg = OPT_REQUIRED,
     .meta = "TIME",
     .help = N_("the clock stands still at this time, as for --begin: for pictures")},
    {OPT_SETS(struct demo_options, is_admin), .name = "admin", .help = N_("you are an administrator")},
    {OPT_SETS(struct demo_options, serve), .name = "serve",
     .help = N_("print STOKER_HOME of the demo and serve until interrupted")},
};
static const struct opts demo_opts = OPTS(table, demo_take_option);

static const struct opt_program demo_program = {
    .name = "stoker --demo",
    .usage = "[OPTIONS] [--serve | COMMAND [ARGS...] | OPTIONS OF THE SCREENS]",
    .more = N_(
        "A made-up cluster. Nothing is installed or changed, and no job is run. You are the user alice.\n"
        "COMMAND is one of Stoker's or Slurm's: stoker --demo squeue, stoker --demo why 123.\n"),
    .options = &demo_opts};

/* Options of the demo come first; the first word that is none of them begins the rest. */
static int demo_count_ours(int argc, char **argv)
{
    int i = 1;
    for (; i < argc; i++) {
        bool is_long = str_starts(argv[i], "--");
        size_t len = is_long ? strcspn(argv[i] + 2, "=") : 0;
        const struct opt *o = len ? opt_resolve(&demo_opts, argv[i] + 2, len, 0) : NULL;
        bool ours = (o && strlen(o->name) == len) || str_eq(argv[i], "-h") || str_eq(argv[i], "--help");
        if (!ours)
            break;
        if (o && o->arg == OPT_REQUIRED && !argv[i][2 + len])
            i++;
    }
    return i < argc ? i : argc;
}

/* True: go on; else *ret_exit says how it ends. */
static bool demo_parse(int argc, char **argv, struct demo_options *o, int *ret_exit)
{
    int ours = demo_count_ours(argc, argv);
    *o = (struct demo_options){.speed = 1, .seed = 1, .size = DEMO_LAB, .rest = argv + ours};
    return opt_parse_program(&demo_program, o, ours, argv, ret_exit);
}

int main(int argc, char **argv)
{
    struct demo_options o;
    int rc = EXIT_FAILURE;
    lang_choose(NULL, NULL); /* of the help; the cluster's own texts are English */
    bool go_on = demo_parse(argc, argv, &o, &rc);
    o.says_start = tr("A made-up cluster is starting ...");
    lang_choose("en", NULL);
    if (!go_on)
        return rc;
    char *dir = demo_make_dir();
    if (!dir)
        return EXIT_FAILURE;
    if (o.serve) {
        printf("STOKER_HOME=%s\n", dir);
        fflush(stdout);
        rc = demo_serve(&o, dir, -1);
    } else if (demo_start(&o, dir)) {
        rc = demo_show(&o, dir);
    }
    free(dir);
    return rc;
}
