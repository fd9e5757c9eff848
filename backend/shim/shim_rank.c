/* fork -> process group, limits, CPUs -> drop to the user -> working directory -> files -> exec
 *
 * What fails on the way is told through a pipe that the exec closes. The order matters: limits and CPUs
 * while there are rights to set them, paths when there are none left.
 */
#include "backend/shim/shim_rank.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "backend/shim/shim_files.h"
#include "backend/shim/shim_group.h"
#include "backend/shim/shim_pmi.h"
#include "backend/shim/shim_pty.h"
#include "backend/task/cpu_binding.h"
#include "backend/task/taskdir.h"
#include "src/base/xalloc.h"
#include "src/os/path_search.h"
#include "src/os/ulimit.h"

#define DEFAULT_PATH "/usr/local/bin:/usr/bin:/bin"
#define HASHBANG_MAX 256 /* what the kernel reads of a first line */

struct start_report {
    int32_t error; /* errno */
    bool exec;     /* the program is to blame, not its surroundings */
    bool node;     /* nothing that the job asked for is */
    char text[480];
};

/* In a rank: what is done now is the same for every job. */
static bool in_nodes_part;

static _Noreturn void rank_give_up(int fd, int error, bool exec, const char *fmt, ...)
    __attribute__((format(printf, 4, 5)));

static _Noreturn void rank_give_up(int fd, int error, bool exec, const char *fmt, ...)
{
    struct start_report rep = {.error = error, .exec = exec, .node = in_nodes_part};
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(rep.text, sizeof rep.text, fmt, ap);
    va_end(ap);
    _exit(write(fd, &rep, sizeof rep) == (ssize_t)sizeof rep ? 127 : 126);
}

static void rank_bind_cpus(const struct shim *s, const struct rank *r)
{
    const struct cpuset *want = cpuset_is_empty(&r->l->cpus) ? &s->l.alloc.cpus : &r->l->cpus;
    if (!s->setup.bind || cpuset_is_empty(want))
        return;
    struct cpuset real;
    cpu_set_t set;
    CPU_ZERO(&set);
    if (!cpu_binding_real(want, &s->setup.cpu_order, &s->setup.cpus, &real))
        return;
    for (int c = cpuset_next(&real, 0); c >= 0; c = cpuset_next(&real, (unsigned)c + 1))
        CPU_SET((size_t)c, &set);
    sched_setaffinity(0, sizeof set, &set);
}

void shim_rank_unspare(const struct shim *s)
{
    if (!s->setup.spared)
        return;
    int fd = open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);
    if (fd < 0)
        return;
    dprintf(fd, "%d", s->setup.oom_score_adj);
    close(fd);
}

/* What the agent has changed for itself is as it was. */
static void rank_set_limits(const struct shim *s)
{
    if (s->setup.nofile)
        ulimit_set(ULIMIT_NOFILE, s->setup.nofile);
    if (s->setup.core_known)
        ulimit_set(ULIMIT_CORE, s->setup.core);
    shim_rank_unspare(s);
}

/* A pipe or a spool keeps its own descriptor, so the number of what is passed in is never below 3. */
static void rank_place(int fd, int as, int report)
{
    if (dup2(fd, as) < 0)
        rank_give_up(report, errno, false, "cannot place descriptor %d: %s", as, strerror(errno));
}

static void rank_open_standard(const struct shim *s, const struct rank *r, const int given[3], int report)
{
    char text[480];
    int in = given[0];
    if (in < 0) {
        const char *path = str_is_empty(r->l->std_in) ? "/dev/null" : r->l->std_in;
        in = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
        if (in < 0)
            rank_give_up(report, errno, false, "cannot open the input file %s: %s", path, strerror(errno));
    }
    rank_place(in, 0, report);
    for (int i = 0; i < 2; i++) {
        int fd = given[i + 1];
        if (fd < 0 && i == 1 && r->sink[1] == r->sink[0])
            fd = 1;
        const struct sink *k = &s->sinks.v[r->sink[i]];
        if (fd < 0)
            fd = shim_files_open_output(k->path, shim_files_appends(s, k), text, sizeof text);
        if (fd < 0)
            rank_give_up(report, -fd, false, "%s", text);
        rank_place(fd, i + 1, report);
    }
}

void shim_rank_close_the_rest(void)
{
    if (syscall(SYS_close_range, 3, ~0U, 4 /* CLOSE_RANGE_CLOEXEC */) == 0)
        return;
    long max = sysconf(_SC_OPEN_MAX);
    for (int fd = 3; fd < (int)max; fd++)
        fcntl(fd, F_SETFD, FD_CLOEXEC);
}

/* Numbers that CUDA would understand differently now become names. */
static void rank_name_gpus(const struct shim *s, struct strv *env)
{
    const char *numbers = strv_getenv(env, "CUDA_VISIBLE_DEVICES");
    if (!s->setup.gpu_names.n || str_is_empty(numbers))
        return;
    struct strv v = strv_split(numbers, ",");
    struct str names = STR_INIT;
    for (size_t i = 0; i < v.n; i++) {
        char *end;
        unsigned long n = strtoul(v.v[i], &end, 10);
        bool known = end != v.v[i] && !*end && n < s->setup.gpu_names.n;
        str_appendf(&names, "%s%s", i ? "," : "", known ? s->setup.gpu_names.v[n] : v.v[i]);
    }
    strv_setenv(env, "CUDA_VISIBLE_DEVICES", names.s);
    str_fini(&names);
    strv_fini(&v);
}

/* Changes the child's own copy of the launch. To copy a hundred variables takes many more pages. */
static struct strv rank_environment(const struct shim *s, const struct rank *r)
{
    struct strv env = s->l.env;
    for (size_t i = 0; i < r->l->env.n; i++) {
        char *eq = strchr(r->l->env.v[i], '=');
        if (!eq)
            continue;
        *eq = '\0'; /* in the child's own copy of memory */
        strv_setenv(&env, r->l->env.v[i], eq + 1);
        *eq = '=';
    }
    strv_setenvf(&env, "SLURM_TASK_PID", "%d", (int)getpid());
    char *eq = strchr(s->mark, '=');
    strv_setenv(&env, "STOKER_LAUNCH", eq ? eq + 1 : "");
    rank_name_gpus(s, &env);
    return env;
}

/* --- scripts --- */

/* Where the user may not reach the spool directory, the script is read from a sealed memory file that stays
 * open. */
static const char *rank_script_in_memory(const struct shim *s, char *path, size_t size, int report)
{
    int fd = memfd_create("slurm_script", MFD_ALLOW_SEALING);
    const uint8_t *p = s->l.script.p;
    for (size_t left = s->l.script.n; fd >= 0 && left;) {
        ssize_t n = write(fd, p, left);
        if (n <= 0)
            break;
        p += n;
        left -= (size_t)n;
    }
    if (fd < 0 || p != s->l.script.p + s->l.script.n ||
        fcntl(fd, F_ADD_SEALS, F_SEAL_WRITE | F_SEAL_GROW | F_SEAL_SHRINK | F_SEAL_SEAL) < 0)
        rank_give_up(report, errno, false, "cannot keep the script: %s", strerror(errno));
    snprintf(path, size, "/proc/self/fd/%d", fd);
    return path;
}

/* argv of a script as the kernel makes it: interpreter, its one argument, path, arguments. The kernel is
 * not asked to do it, as the spool may lie on a file system mounted noexec. */
static struct strv rank_script_argv(const struct shim *s, const struct strv *args, const char *path,
                                    int report)
{
    char line[HASHBANG_MAX];
    size_t n = s->l.script.n < sizeof line - 1 ? s->l.script.n : sizeof line - 1;
    memcpy(line, s->l.script.p, n);
    line[n] = '\0';
    line[strcspn(line, "\n")] = '\0';
    if (line[0] != '#' || line[1] != '!')
        rank_give_up(report, ENOEXEC, true,
                     "execve(): the script's first line names no interpreter (#!/bin/sh)");
    char *interp = str_trim(line + 2);
    char *arg = interp + strcspn(interp, " \t");
    if (*arg)
        *arg++ = '\0';
    arg = str_trim(arg);
    if (!*interp)
        rank_give_up(report, ENOEXEC, true,
                     "execve(): the script's first line names no interpreter (#!/bin/sh)");
    struct strv v = {0};
    strv_push(&v, interp);
    if (*arg)
        strv_push(&v, arg);
    strv_push(&v, path);
    for (size_t i = 0; i < args->n; i++)
        strv_push(&v, args->v[i]);
    return v;
}

/* --- exec --- */

struct rank_exec {
    char **argv, **env;
    int error; /* what is to be told: of a file that is there rather than of one that is not */
};

/* Comes back where the file cannot be executed; true: others need not be tried. */
static bool rank_exec_file(void *ctx, const char *file)
{
    struct rank_exec *x = ctx;
    execve(file, x->argv, x->env);
    if (errno != ENOENT && errno != ENOTDIR)
        x->error = errno;
    return x->error != ENOENT && x->error != EACCES;
}

/* As execvp does, but with the PATH of the launch and no shell for files that are no programs. */
static int rank_exec_in_path(char **argv, char **env, const char *path)
{
    struct rank_exec x = {.argv = argv, .env = env, .error = ENOENT};
    path_search(path, argv[0], rank_exec_file, &x);
    return x.error;
}

static void rank_set_pmi(const struct shim *s, const struct rank *r, int fd, struct strv *env)
{
    strv_setenvf(env, "PMI_FD", "%d", fd);
    strv_setenvf(env, "PMI_RANK", "%u", r->l->rank);
    strv_setenvf(env, "PMI_SIZE", "%u", s->l.pmi_size);
    strv_setenvf(env, "PMI_JOBID", "%u.%d", s->l.key.job, s->l.key.step);
    strv_setenv(env, "PMI_SPAWNED", "0");
}

/* Last of all: a low limit must not stand in the way of what is done for the task before. What cannot be
 * had is told once on each node, and only where --propagate names it. */
static void rank_propagate_limits(const struct shim *s, const struct rank *r)
{
    for (size_t i = 0; i < s->l.limits.n; i++) {
        const struct resource_limit *lim = &s->l.limits.v[i];
        int rc = ulimit_set(lim->kind, lim->soft);
        if (rc == 0 || !lim->must || r != &s->ranks[0])
            continue;
        char value[32] = "'unlimited'";
        if (lim->soft != ULIMIT_UNLIMITED)
            snprintf(value, sizeof value, "%llu", (unsigned long long)lim->soft);
        dprintf(2, "slurmstepd: error: Can't propagate RLIMIT_%s of %s from submit host: %s\n",
                ulimit_name(lim->kind), value,
                rc < 0 ? strerror(-rc) : "the hard limit of the node is lower");
    }
}

static _Noreturn void rank_child(const struct shim *s, const struct rank *r, const int given[4], int report)
{
    in_nodes_part = true;
    const char *why = s->pty ? shim_pty_enter(given[1]) : NULL;
    if (!s->pty)
        setpgid(0, 0);
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    const char *group;
    int e = shim_group_join(s, &group);
    if (e < 0)
        rank_give_up(report, -e, false, "cannot enter the control group %s: %s", group, strerror(-e));
    rank_set_limits(s);
    rank_bind_cpus(s, r);
    umask((mode_t)s->l.umask & 0777);
    why = why ? why : shim_files_drop(s);
    if (why)
        rank_give_up(report, EPERM, false, "%s: %s", why, s->l.user ? s->l.user : "?");
    in_nodes_part = false;
    char text[480];
    e = shim_files_enter_workdir(s, text, sizeof text);
    if (e < 0)
        rank_give_up(report, -e, false, "%s", text);
    rank_open_standard(s, r, given, report);
    shim_rank_close_the_rest();
    if (given[3] >= 0)
        fcntl(given[3], F_SETFD, 0);

    const struct strv *args = r->l->argv.n ? &r->l->argv : &s->l.argv;
    struct strv argv = {0};
    if (s->l.script.n) {
        char path[4096];
        snprintf(path, sizeof path, "%s/" TASKDIR_SCRIPT, s->dir);
        const char *p = path;
        if (access(path, R_OK) < 0)
            p = rank_script_in_memory(s, path, sizeof path, report);
        argv = rank_script_argv(s, args, p, report);
    } else {
        argv = strv_copy(args);
    }
    if (!argv.n)
        rank_give_up(report, EINVAL, true, "execve(): there is nothing to run");
    struct strv env = rank_environment(s, r);
    if (given[3] >= 0)
        rank_set_pmi(s, r, given[3], &env);
    const char *path = strv_getenv(&env, "PATH");
    rank_propagate_limits(s, r);
    e = rank_exec_in_path(argv.v, env.v, str_is_empty(path) ? DEFAULT_PATH : path);
    rank_give_up(report, e, true, "execve(): %s: %s", argv.v[0], strerror(e));
}

/* --- the parent's side --- */

static void rank_close_all(int *fds, int n)
{
    for (int i = 0; i < n; i++)
        if (fds[i] >= 0)
            close(fds[i]);
}

int shim_rank_spawn(struct shim *s, struct rank *r)
{
    /* Pipes as [read, write]: input, output, error, report. */
    int in[2] = {-1, -1}, io[2][2] = {{-1, -1}, {-1, -1}}, report[2] = {-1, -1}, e = 0;
    bool streams = s->l.stream_in && !r->l->std_in && !s->pty;
    if (pipe2(report, O_CLOEXEC) < 0 || (streams && pipe2(in, O_CLOEXEC) < 0))
        e = -errno;
    for (int i = 0; e == 0 && s->l.label && !s->pty && i < 2; i++)
        if ((i == 0 || r->sink[1] != r->sink[0]) && pipe2(io[i], O_CLOEXEC) < 0)
            e = -errno;
    int given[4] = {in[0], s->sinks.v[r->sink[0]].fd, s->sinks.v[r->sink[1]].fd, -1};
    e = e ? e : shim_pmi_socket(s, (size_t)(r - s->ranks), &given[3]);
    if (s->pty) {
        e = e ? e : shim_pty_open(s, r, given);
    } else if (s->l.label) {
        given[1] = io[0][1];
        given[2] = io[1][1] >= 0 ? io[1][1] : io[0][1];
    }
    pid_t pid = e < 0 ? -1 : shim_group_fork(s);
    if (pid == 0)
        rank_child(s, r, given, report[1]);
    if (e == 0 && pid < 0)
        e = -errno;
    if (e < 0) {
        rank_close_all(in, 2);
        rank_close_all(io[0], 2);
        rank_close_all(io[1], 2);
        rank_close_all(report, 2);
        rank_close_all(&given[3], 1);
        return e;
    }
    close(report[1]);
    rank_close_all((int[]){in[0], io[0][1], io[1][1], given[3]}, 4);
    r->pid = pid;
    r->running = true;
    r->report_fd = report[0];
    if (!s->pty)
        r->in_fd = in[1];
    if (r->in_fd >= 0)
        fcntl(r->in_fd, F_SETFL, O_NONBLOCK);
    for (int i = 0; i < 2 && !s->pty; i++) {
        r->pump[i].fd = io[i][0];
        if (r->pump[i].fd >= 0)
            fcntl(r->pump[i].fd, F_SETFL, O_NONBLOCK);
    }
    s->n_starting++;
    s->n_alive++;
    return 0;
}

/* In a batch script a program that cannot be run is a launch that failed. A rank of a step ends as Slurm's
 * do: with errno as its code. */
void shim_rank_read_report(struct shim *s, struct rank *r)
{
    struct start_report rep;
    ssize_t n = read(r->report_fd, &rep, sizeof rep);
    if (n < 0 && errno == EINTR)
        return;
    close(r->report_fd);
    r->report_fd = -1;
    s->n_starting--;
    if (n != (ssize_t)sizeof rep)
        return;
    rep.text[sizeof rep.text - 1] = '\0';
    shim_message(s, "%s", rep.text);
    r->end = (struct rank_end){.code = rep.error & 0xff};
    r->bad_start = true;
    if (rep.exec && s->l.key.step != STEP_BATCH) {
        char *line = xasprintf("slurmstepd: error: %s", rep.text);
        shim_files_note(s, line);
        free(line);
        return;
    }
    s->launch_failed = true;
    s->node_fault = s->node_fault || (rep.node && r == s->ranks); /* later ones may be too many */
}
