#include "backend/slurm/slurm_srun.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "backend/slurm/slurm_allocation.h"
#include "backend/slurm/slurm_command.h"
#include "src/base/xalloc.h"
#include "src/carry/boot.h"
#include "src/os/byte_bridge.h"
#include "src/os/clock.h"
#include "src/os/file.h"
#include "src/os/spawn.h"
#include "src/os/unixsock.h"

#define START_MS      120000 /* until the agents must have connected */
#define STREAM_MS     60000
#define TICK_MS       500
#define CONTROLLER_MS 10000 /* that a controller may take to stop */
#define AGAIN_MIN_MS  10000 /* between two steps for one node: each is a request to slurmctld */
#define AGAIN_MAX_MS  600000
#define OUTPUT_MAX    (16u << 20)
#define LAST_WORDS    500
#define READ_SIZE     4096u
#define GPUS_MAX      64

struct srun_node {
    const struct allocation_node *of;
    pid_t pid; /* of its srun; 0: none */
    int fd;    /* its input and output; -1: none */
    struct boot boot;
    bool up;
    int listen_fd;
    int64_t again_ms, pause_ms;
};

struct srun_cluster {
    const struct slurm_srun_settings *set;
    struct strv env;
    struct slurm_allocation a;
    struct srun_node *nodes;
    size_t n;
    int64_t look_ms; /* not before that Slurm is asked again whether it is over */
};

static volatile sig_atomic_t srun_ends;

static void srun_on_signal(int signo)
{
    (void)signo;
    srun_ends = 1;
}

/* --- Slurm's commands --- */

/* What it prints. Errors: its words. */
static int slurm_ask(const struct srun_cluster *c, struct strv *argv, struct str *out, struct errtext *err)
{
    char *path = xasprintf("%s/%s", c->set->commands, argv->v[0]);
    int fds[2], status = 0;
    pid_t pid;
    if (pipe2(fds, O_CLOEXEC) < 0)
        return err_set(err, -errno, "no pipe can be made: %s", strerror(errno));
    int r = spawn_program(
        &(struct spawn){
            .path = path, .argv = argv->v, .env = c->env.v, .fds = {{fds[1], 1}, {fds[1], 2}}, .n_fds = 2},
        &pid);
    close(fds[1]);
    if (r < 0) {
        err_set(err, r, "%s: %s", path, strerror(-r));
    } else {
        file_read_fd(fds[0], OUTPUT_MAX, out);
        while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
            ;
        if (status != 0)
            r = err_set(err, -EIO, "%s: %.400s", argv->v[0], out->len ? str_trim(out->s) : "it has failed");
    }
    close(fds[0]);
    free(path);
    return r;
}

static int srun_read_allocation(struct srun_cluster *c, struct errtext *err)
{
    struct str out = STR_INIT;
    struct strv argv = {0}, names = {0};
    const char *const show_job[] = {"scontrol", "-o", "-d", "show", "job", c->set->job};
    const char *const show_node[] = {"scontrol", "-o", "show", "node"};
    for (size_t i = 0; i < sizeof show_job / sizeof *show_job; i++)
        strv_push(&argv, show_job[i]);
    int r = slurm_ask(c, &argv, &out, err);
    if (r == 0)
        r = slurm_allocation_read(&(struct slurm_span){out.s, out.len}, &c->a, err);
    strv_fini(&argv);
    str_clear(&out);
    vec_for_each (&c->a.nodes, i)
        if (!c->a.nodes.v[i].mem_mib)
            strv_push(&names, c->a.nodes.v[i].name);
    if (r == 0 && names.n) {
        for (size_t i = 0; i < sizeof show_node / sizeof *show_node; i++)
            strv_push(&argv, show_node[i]);
        strv_push_take(&argv, strv_join(&names, ","));
        r = slurm_ask(c, &argv, &out, err);
        if (r == 0)
            slurm_allocation_take_memory(&c->a, &(struct slurm_span){out.s, out.len});
        strv_fini(&argv);
    }
    strv_fini(&names);
    str_fini(&out);
    return r;
}

/* --- srun --- */

/* The agent in the foreground, and a line once it listens. It ends with its standard input, or by itself.
 * $4 is the home, which no other user may have made. If it was made for this allocation ($5), its files on
 * this node are removed when the agent has been told to end, or when the allocation ends, which Slurm
 * announces by TERM. An agent that ends for another reason is started again, and finds its tasks. The GPUs
 * of the step are passed on as its variables name them; NVML would also show those of other jobs, unless
 * their numbers are the step's own. */
static char keep_agent[] =
    "umask 077; d=$3 h=$4; mkdir -p \"$d\" || exit 1; [ -O \"$h\" ] && [ ! -L \"$h\" ] || exit 1; "
    "rm -f \"$d/agent.sock\"; "
    "if [ \"$5\" ]; then clean() { rm -rf \"$d\"; rmdir \"$h/agent\" \"$h\" 2>/dev/null; }; else clean() { "
    ":; }; fi; "
    "g=${CUDA_VISIBLE_DEVICES:-${ROCR_VISIBLE_DEVICES:-}}; case $g in *[!A-Za-z0-9,/-]*) g=;; NoDevFiles) "
    "g=;; esac; "
    "i=0; all=; while [ ${#all} -lt ${#g} ]; do all=${all:+$all,}$i; i=$((i + 1)); done; "
    "[ \"$g\" = \"$all\" ] || export STOKER_NVML=/dev/null; "
    "exec 3<&0; \"$1\" --node=\"$2\" --dir=\"$3\" --log=\"$3/agent.log\" </dev/null >/dev/null & a=$!; "
    "trap 'kill $a; wait $a; clean; exit 143' TERM; "
    "until [ -S \"$3/agent.sock\" ]; do kill -0 $a || exit 1; sleep 0.1; done; "
    "echo \"" BOOT_BRIDGE " ${g:--}\"; "
    "{ while read -r line <&3; do :; done; kill $a; } & c=$!; exec 3<&-; "
    "wait $a && kill -0 $c 2>/dev/null && clean; kill $c";

static struct strv srun_argv(const struct srun_cluster *c, const struct allocation_node *n, bool keeps)
{
    struct strv v = {0};
    const char *const fixed[] = {
        "srun",       "--overlap",    "--nodes=1", "--ntasks=1", "--cpu-bind=none",   "--quiet",
        "--mpi=none", "--unbuffered", "--mem=0",   "--chdir=/",  "--job-name=stoker", "--input=0"};
    for (size_t i = 0; i < sizeof fixed / sizeof *fixed; i++)
        strv_push(&v, fixed[i]);
    strv_push_take(&v, xasprintf("--jobid=%s", c->set->job));
    strv_push_take(&v, xasprintf("--nodelist=%s", n->name));
    strv_push_take(&v, xasprintf("--cpus-per-task=%u", keeps && n->cpus ? n->cpus : 1));
    if (keeps && n->gpus)
        strv_push_take(&v, xasprintf("--gres=gpu:%u", n->gpus));
    else
        strv_push(&v, "--gres=none");
    return v;
}

static char *agent_dir(const struct srun_cluster *c, const struct allocation_node *n)
{
    return xasprintf("%s/agent/%s", c->set->home, n->name);
}

/* Returns its input and output, or a negative errno. log_fd: for what it says. */
static int srun_spawn(const struct srun_cluster *c, struct strv *argv, int log_fd, pid_t *ret,
                      struct errtext *err)
{
    char *path = xasprintf("%s/srun", c->set->commands);
    int fds[2];
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds) < 0) {
        free(path);
        return err_set(err, -errno, "no socket can be made: %s", strerror(errno));
    }
    int r = spawn_program(&(struct spawn){.path = path,
                                          .argv = argv->v,
                                          .env = c->env.v,
                                          .fds = {{fds[1], 0}, {fds[1], 1}, {log_fd, 2}},
                                          .n_fds = 3,
                                          .session = true},
                          ret);
    close(fds[1]);
    if (r < 0) {
        close(fds[0]);
        err_set(err, r, "%s: %s", path, strerror(-r));
    }
    free(path);
    return r < 0 ? r : fds[0];
}

static char *log_path(const struct srun_cluster *c, const struct allocation_node *n)
{
    return xasprintf("%s/log/srun-%s.log", c->set->home, n->name);
}

/* Whether the home was made for this allocation: stoker up --in-allocation names it so. */
static bool srun_home_is_made(const struct srun_cluster *c)
{
    char *name = xasprintf("/stoker-slurm-%s", c->set->job);
    bool made = str_ends(c->set->home, name);
    free(name);
    return made;
}

static int keeper_start(struct srun_cluster *c, struct srun_node *n, struct errtext *err)
{
    struct strv argv = srun_argv(c, n->of, true);
    char *log = log_path(c, n->of), *dir = agent_dir(c, n->of);
    const char *const words[] = {"/bin/sh", "-c",          keep_agent,
                                 "sh",      c->set->agent, n->of->name,
                                 dir,       c->set->home,  srun_home_is_made(c) ? "made" : ""};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        strv_push(&argv, words[i]);
    int log_fd = open(log, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600);
    int fd = log_fd < 0 ? err_set(err, -errno, "%s: %s", log, strerror(errno))
                        : srun_spawn(c, &argv, log_fd, &n->pid, err);
    if (log_fd >= 0)
        close(log_fd);
    n->fd = fd < 0 ? -1 : fd;
    boot_fini(&n->boot);
    boot_init(&n->boot);
    strv_fini(&argv);
    free(log);
    free(dir);
    return fd < 0 ? fd : 0;
}

static void keeper_ended(struct srun_node *n)
{
    if (n->fd >= 0)
        close(n->fd);
    n->fd = -1;
    n->up = false;
    n->pause_ms = n->pause_ms ? n->pause_ms * 2 : AGAIN_MIN_MS;
    n->pause_ms = n->pause_ms > AGAIN_MAX_MS ? AGAIN_MAX_MS : n->pause_ms;
    n->again_ms = mono_ms() + n->pause_ms;
}

/* Takes what it has printed. False: it has ended, or says something else. */
static bool keeper_read(struct srun_node *n)
{
    char buf[READ_SIZE];
    size_t used;
    ssize_t r = recv(n->fd, buf, sizeof buf, MSG_DONTWAIT);
    if (r < 0 && (errno == EAGAIN || errno == EINTR))
        return true;
    if (r <= 0)
        return false;
    if (n->up)
        return true;
    enum boot_event e = boot_feed(&n->boot, buf, (size_t)r, &used);
    n->up = e == BOOT_UP;
    return e == BOOT_UP || e == BOOT_MORE;
}

/* --- start --- */

static int say_no_agent(const struct srun_cluster *c, const struct srun_node *n, struct errtext *err)
{
    char *path = log_path(c, n->of), *text = file_text(path);
    char *words = text ? str_trim(text) : NULL;
    size_t len = words ? strlen(words) : 0;
    int r = err_set(err, -EHOSTUNREACH, "no agent on node %s: %s", n->of->name,
                    len ? words + (len > LAST_WORDS ? len - LAST_WORDS : 0) : "srun has ended");
    free(text);
    free(path);
    return r;
}

static int await_agents(struct srun_cluster *c, struct errtext *err)
{
    struct pollfd *p = xcalloc(c->n, sizeof *p);
    int64_t end = mono_ms() + START_MS;
    int r = 0;
    for (size_t n_up = 0; r == 0 && n_up < c->n && !srun_ends;) {
        int64_t left = end - mono_ms();
        for (size_t i = 0; i < c->n; i++)
            p[i] = (struct pollfd){.fd = c->nodes[i].up ? -1 : c->nodes[i].fd, .events = POLLIN};
        if (left <= 0 || poll(p, c->n, (int)left) == 0)
            r = err_set(err, -ETIMEDOUT, "srun has not started the agents within %d s", START_MS / 1000);
        for (size_t i = 0; r == 0 && i < c->n; i++) {
            if (!p[i].revents)
                continue;
            if (!keeper_read(&c->nodes[i]))
                r = say_no_agent(c, &c->nodes[i], err);
            n_up += c->nodes[i].up;
        }
    }
    free(p);
    return srun_ends && r == 0 ? err_set(err, -EINTR, "it was stopped") : r;
}

/* The step's own names of its GPUs, where they are not numbers from 0 on; a node without them has none. */
static void take_gpus(struct allocation_node *a, const char *told)
{
    if (str_eq(told, "-")) {
        a->gpus = 0;
        return;
    }
    struct strv names = strv_split(told, ",");
    bool numbered = true;
    for (size_t i = 0; i < names.n; i++) {
        char number[16];
        snprintf(number, sizeof number, "%zu", i);
        numbered = numbered && str_eq(names.v[i], number);
    }
    a->gpus = names.n < GPUS_MAX ? (uint32_t)names.n : GPUS_MAX;
    if (numbered)
        strv_fini(&names);
    else
        a->gpu_names = names;
}

static int srun_listen(struct srun_cluster *c, const char *dir, struct errtext *err)
{
    for (size_t i = 0; i < c->n; i++) {
        char *path = xasprintf("%s/%s.sock", dir, c->nodes[i].of->name);
        c->nodes[i].listen_fd = unixsock_listen(path, 0600, 4);
        int r = c->nodes[i].listen_fd;
        if (r < 0)
            err_set(err, r, "cannot listen at %s: %s", path, strerror(-r));
        free(path);
        if (r < 0)
            return r;
    }
    return 0;
}

static int srun_begin(struct srun_cluster *c, struct errtext *err)
{
    int r = srun_read_allocation(c, err);
    if (r < 0)
        return r;
    char *dir = xasprintf("%s/run", c->set->home), *log = xasprintf("%s/log", c->set->home);
    char *config = xasprintf("%s/stoker.cfg", c->set->home);
    mkdir(dir, 0700);
    mkdir(log, 0700);
    c->n = c->a.nodes.n;
    c->nodes = xcalloc(c->n, sizeof *c->nodes);
    for (size_t i = 0; i < c->n; i++) {
        c->nodes[i] = (struct srun_node){.of = &c->a.nodes.v[i], .fd = -1, .listen_fd = -1};
        boot_init(&c->nodes[i].boot);
    }
    for (size_t i = 0; r == 0 && i < c->n; i++)
        r = keeper_start(c, &c->nodes[i], err);
    r = r < 0 ? r : await_agents(c, err);
    for (size_t i = 0; r == 0 && i < c->n; i++)
        take_gpus(&c->a.nodes.v[i], c->nodes[i].boot.rest);
    if (r == 0) {
        struct str text = STR_INIT;
        slurm_allocation_config(&text, &c->a, dir, wall_read());
        r = file_write(config, 0600, text.s);
        if (r < 0)
            err_set(err, r, "%s: %s", config, strerror(-r));
        str_fini(&text);
    }
    r = r < 0 ? r : srun_listen(c, dir, err);
    free(dir);
    free(log);
    free(config);
    return r;
}

/* --- for as long as the cluster lives --- */

/* In a process of its own, so that one node's bytes wait for no other node. */
static void serve_connection(const struct srun_cluster *c, const struct srun_node *n)
{
    int fd = accept4(n->listen_fd, NULL, NULL, SOCK_CLOEXEC);
    if (fd < 0)
        return;
    char name[] = "stoker-slurm", mode[] = "--stream";
    char *argv[] = {name, mode, xstrdup(c->set->job), xstrdup(c->set->home), xstrdup(n->of->name), NULL};
    pid_t pid;
    if (n->up &&
        spawn_program(&(struct spawn){.path = c->set->self, .argv = argv, .fds = {{fd, 0}}, .n_fds = 1},
                      &pid) < 0)
        fprintf(stderr, "stoker-slurm: %s cannot be started\n", c->set->self);
    close(fd);
    for (size_t i = 2; i < 5; i++)
        free(argv[i]);
}

static void reap(struct srun_cluster *c)
{
    for (pid_t pid; (pid = waitpid(-1, NULL, WNOHANG)) > 0;)
        for (size_t i = 0; i < c->n; i++)
            if (c->nodes[i].pid == pid)
                c->nodes[i].pid = 0;
}

/* ends: it is told to end. */
static bool has_controller(const struct srun_cluster *c, bool ends)
{
    char *path = xasprintf("%s/run/controller.sock", c->set->home);
    int fd = unixsock_connect(path, SOCK_NONBLOCK, 0);
    struct ucred peer;
    socklen_t size = sizeof peer;
    free(path);
    if (fd >= 0 && ends && getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &size) == 0 &&
        peer.uid == geteuid())
        kill(peer.pid, SIGTERM);
    if (fd >= 0)
        close(fd);
    return fd >= 0 || fd == -EAGAIN;
}

/* Whether Slurm says so: one that does not answer says nothing. */
static bool allocation_is_over(const struct srun_cluster *c)
{
    const char *const words[] = {"scontrol", "-o", "show", "job", c->set->job};
    struct strv argv = {0};
    struct str out = STR_INIT;
    struct slurm_span state;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        strv_push(&argv, words[i]);
    int r = slurm_ask(c, &argv, &out, NULL);
    bool told = r == 0 && slurm_key(&(struct slurm_span){out.s, out.len}, "JobState", &state);
    bool over = told ? !slurm_span_is(&state, "RUNNING") && !slurm_span_is(&state, "SUSPENDED")
                     : strstr(out.s, "Invalid job id") != NULL;
    strv_fini(&argv);
    str_fini(&out);
    return over;
}

/* Steps that have ended are started again, but for those of a cluster that is over. */
static bool tend(struct srun_cluster *c)
{
    size_t n_gone = 0;
    reap(c);
    for (size_t i = 0; i < c->n; i++)
        n_gone += c->nodes[i].fd < 0;
    if (!n_gone)
        return true;
    bool controller = has_controller(c, false);
    if (n_gone == c->n && controller && mono_ms() >= c->look_ms) {
        c->look_ms = mono_ms() + AGAIN_MIN_MS;
        if (allocation_is_over(c)) {
            has_controller(c, true);
            return false;
        }
    }
    for (size_t i = 0; i < c->n; i++) {
        struct srun_node *n = &c->nodes[i];
        struct errtext err;
        if (n->fd < 0 && !n->pid && controller && mono_ms() >= n->again_ms && keeper_start(c, n, &err) < 0)
            keeper_ended(n);
    }
    return controller || n_gone < c->n;
}

static void serve_all(struct srun_cluster *c)
{
    struct pollfd *p = xcalloc(2 * c->n, sizeof *p);
    while (!srun_ends && tend(c)) {
        for (size_t i = 0; i < c->n; i++) {
            p[2 * i] = (struct pollfd){.fd = c->nodes[i].listen_fd, .events = POLLIN};
            p[2 * i + 1] = (struct pollfd){.fd = c->nodes[i].fd, .events = POLLIN};
        }
        if (poll(p, 2 * c->n, TICK_MS) <= 0)
            continue;
        for (size_t i = 0; i < c->n; i++) {
            if (p[2 * i].revents)
                serve_connection(c, &c->nodes[i]);
            if (p[2 * i + 1].revents && !keeper_read(&c->nodes[i]))
                keeper_ended(&c->nodes[i]);
        }
    }
    free(p);
}

static int srun_remove_one(const char *path, const struct stat *st, int kind, struct FTW *at)
{
    (void)st;
    (void)kind;
    (void)at;
    remove(path);
    return 0;
}

/* The cluster has ended, and no controller will need its state again. A controller that has been told to
 * stop may take a moment. */
static void srun_remove_home(const struct srun_cluster *c)
{
    if (!srun_home_is_made(c))
        return;
    int64_t until = mono_ms() + CONTROLLER_MS;
    while (has_controller(c, false) && mono_ms() < until)
        poll(NULL, 0, TICK_MS);
    if (!has_controller(c, false))
        nftw(c->set->home, srun_remove_one, 16, FTW_DEPTH | FTW_PHYS | FTW_MOUNT);
}

static void srun_fini(struct srun_cluster *c)
{
    for (size_t i = 0; i < c->n; i++) { /* the end of its input ends an agent */
        if (c->nodes[i].fd >= 0)
            close(c->nodes[i].fd);
        if (c->nodes[i].listen_fd >= 0)
            close(c->nodes[i].listen_fd);
        boot_fini(&c->nodes[i].boot);
    }
    free(c->nodes);
    slurm_allocation_fini(&c->a);
    strv_fini(&c->env);
}

int slurm_srun_serve(const struct slurm_srun_settings *s, void (*ready)(void *ctx), void *ctx,
                     struct errtext *err)
{
    struct srun_cluster c = {.set = s, .env = slurm_clean_env(environ)};
    signal(SIGPIPE, SIG_IGN);
    signal(SIGTERM, srun_on_signal);
    signal(SIGINT, srun_on_signal);
    int r = srun_begin(&c, err);
    if (r == 0) {
        printf("%lld\n", wall_is_set(c.a.end) ? (long long)c.a.end.ms : 0);
        fflush(stdout);
        ready(ctx);
        serve_all(&c);
    }
    srun_fini(&c);
    if (r == 0)
        srun_remove_home(&c);
    return r;
}

int slurm_srun_stream(const struct slurm_srun_settings *s, const char *node, struct errtext *err)
{
    struct allocation_node of = {.name = xstrdup(node)};
    struct srun_cluster c = {.set = s, .env = slurm_clean_env(environ)};
    struct strv argv = srun_argv(&c, &of, false);
    char *dir = agent_dir(&c, &of);
    strv_push(&argv, s->agent);
    strv_push(&argv, "--bridge");
    strv_push_take(&argv, xasprintf("--socket=%s/agent.sock", dir));
    signal(SIGPIPE, SIG_IGN);
    pid_t pid = 0;
    struct srun_node n = {.of = &of};
    boot_init(&n.boot);
    int r = srun_spawn(&c, &argv, STDERR_FILENO, &pid, err);
    n.fd = r;
    for (int64_t end = mono_ms() + STREAM_MS; r >= 0 && !n.up;) {
        char buf[READ_SIZE];
        size_t used = 0;
        struct pollfd p[2] = {{.fd = n.fd, .events = POLLIN}, {.fd = STDIN_FILENO, .events = 0}};
        int64_t left = end - mono_ms();
        ssize_t got = 0;
        if (left > 0 && poll(p, 2, (int)left) > 0 && !(p[1].revents & (POLLHUP | POLLERR)))
            got = recv(n.fd, buf, sizeof buf, MSG_PEEK);
        enum boot_event e = got > 0 ? boot_feed(&n.boot, buf, (size_t)got, &used) : BOOT_FAILED;
        n.up = e == BOOT_UP && recv(n.fd, buf, used, 0) == (ssize_t)used;
        if (e == BOOT_MORE && recv(n.fd, buf, used, 0) == (ssize_t)used)
            continue;
        r = n.up ? r : err_set(err, -EHOSTUNREACH, "node %s: its agent is not reached", node);
    }
    if (r >= 0)
        byte_bridge_run(STDIN_FILENO, n.fd, n.fd);
    if (n.fd >= 0)
        close(n.fd);
    boot_fini(&n.boot);
    strv_fini(&argv);
    strv_fini(&c.env);
    free(dir);
    free(of.name);
    return r < 0 ? r : 0;
}
