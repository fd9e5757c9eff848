/* slurm_command.c - a child with two pipes, watched by its pidfd. */
#include "backend/slurm/slurm_command.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "src/base/xalloc.h"
#include "src/os/spawn.h"

#define READ_SIZE  (64u << 10)
#define OUTPUT_MAX (256u << 20)
#define SAYS_MAX   4096u

enum stream { STREAM_OUT, STREAM_SAYS, N_STREAMS };

struct slurm_command {
    struct loop *loop;
    pid_t pid;
    struct loop_fd process, streams[N_STREAMS]; /* fd -1: closed */
    struct loop_timer patience;
    struct loop_call failed; /* it could not be started: fn is called from the loop all the same */
    struct str texts[N_STREAMS];
    int exit_code;
    bool over, killed;
    struct mono started;
    slurm_command_fn *fn;
    void (*on_bytes)(void *ctx, unsigned stream, const char *p, size_t n); /* NULL: collected in texts */
    void *ctx;
};

static void slurm_command_close(struct slurm_command *c, struct loop_fd *fd)
{
    if (fd->fd < 0)
        return;
    loop_unwatch(c->loop, fd);
    close(fd->fd);
    fd->fd = -1;
}

void slurm_command_free(struct slurm_command *c)
{
    if (!c)
        return;
    if (c->pid > 0 && !c->over) {
        kill(-c->pid, SIGKILL);
        kill(c->pid, SIGKILL);
        while (waitpid(c->pid, NULL, 0) < 0 && errno == EINTR)
            ;
    }
    slurm_command_close(c, &c->process);
    for (size_t i = 0; i < N_STREAMS; i++) {
        slurm_command_close(c, &c->streams[i]);
        str_fini(&c->texts[i]);
    }
    loop_timer_cancel(c->loop, &c->patience);
    loop_call_cancel(&c->failed);
    free(c);
}

/* "squeue: error: Invalid user" without what a reader knows already. */
static void slurm_command_trim_says(struct str *s)
{
    const char *colon = strstr(s->s, ": error: ");
    const char *text =
        colon && !memchr(s->s, '\n', (size_t)(colon - s->s)) ? colon + strlen(": error: ") : s->s;
    char *copy = xstrdup(text);
    str_clear(s);
    str_append(s, str_trim(copy));
    free(copy);
}

/* It has told all that it will tell. */
static void slurm_command_check_over(struct slurm_command *c)
{
    if (!c->over || c->streams[STREAM_OUT].fd >= 0 || c->streams[STREAM_SAYS].fd >= 0)
        return;
    slurm_command_trim_says(&c->texts[STREAM_SAYS]);
    if (c->killed && !c->texts[STREAM_SAYS].len)
        str_append(&c->texts[STREAM_SAYS], "Slurm did not answer in time");
    struct slurm_output o = {.out = c->texts[STREAM_OUT],
                             .says = c->texts[STREAM_SAYS],
                             .exit_code = c->exit_code,
                             .ms = (loop_now(c->loop).ns - c->started.ns) / NS_PER_MS};
    slurm_command_fn *fn = c->fn;
    void *ctx = c->ctx;
    loop_timer_cancel(c->loop, &c->patience);
    fn(ctx, &o); /* frees c */
}

static void slurm_command_kill(struct slurm_command *c)
{
    c->killed = true;
    kill(-c->pid, SIGKILL);
    kill(c->pid, SIGKILL);
}

static void slurm_command_on_patience(void *ctx)
{
    slurm_command_kill(ctx);
}

static void slurm_command_on_over(void *ctx, unsigned ready)
{
    (void)ready;
    struct slurm_command *c = ctx;
    int status = 0;
    if (waitpid(c->pid, &status, WNOHANG) == 0)
        return;
    c->over = true;
    c->exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    slurm_command_close(c, &c->process);
    slurm_command_check_over(c);
}

static void slurm_command_read(struct slurm_command *c, enum stream which)
{
    struct str *s = &c->texts[which];
    str_reserve(s, READ_SIZE);
    ssize_t n = read(c->streams[which].fd, s->s + s->len, READ_SIZE);
    if (n < 0 && (errno == EAGAIN || errno == EINTR))
        return;
    if (n <= 0) {
        slurm_command_close(c, &c->streams[which]);
        slurm_command_check_over(c);
        return;
    }
    if (c->on_bytes) { /* may free the command */
        c->on_bytes(c->ctx, which == STREAM_OUT ? 1 : 2, s->s, (size_t)n);
        return;
    }
    s->len += (size_t)n;
    s->s[s->len] = '\0';
    if (which == STREAM_SAYS && s->len > SAYS_MAX)
        str_truncate(s, SAYS_MAX);
    if (which == STREAM_OUT && s->len > OUTPUT_MAX)
        slurm_command_kill(c);
}

static void slurm_command_on_out(void *ctx, unsigned ready)
{
    (void)ready;
    slurm_command_read(ctx, STREAM_OUT);
}

static void slurm_command_on_says(void *ctx, unsigned ready)
{
    (void)ready;
    slurm_command_read(ctx, STREAM_SAYS);
}

static void slurm_command_on_failed(void *ctx)
{
    struct slurm_command *c = ctx;
    c->over = true;
    slurm_command_check_over(c);
}

int slurm_command_spawn(const char *dir, const struct spawn *spawn, pid_t *ret)
{
    int back = dir ? open(".", O_PATH | O_DIRECTORY | O_CLOEXEC) : -1;
    int r = dir && (back < 0 || chdir(dir) < 0) ? -errno : spawn_program(spawn, ret);
    if (back >= 0) {
        bug_on(fchdir(back) < 0);
        close(back);
    }
    return r;
}

/* Returns 0 or a negative errno; descriptors are put where slurm_command_close finds them. */
static int slurm_command_start(struct slurm_command *c, const struct slurm_command_spec *spec)
{
    int out[2], says[2];
    int null = open("/dev/null", O_RDONLY | O_CLOEXEC);
    if (null < 0)
        return -errno;
    if (pipe2(out, O_CLOEXEC) < 0) {
        close(null);
        return -EMFILE;
    }
    if (pipe2(says, O_CLOEXEC) < 0) {
        close(null);
        close(out[0]);
        close(out[1]);
        return -EMFILE;
    }
    char *path = xasprintf("%s/%s", spec->dir, spec->argv->v[0]);
    int r = spawn_program(
        &(struct spawn){.path = path,
                        .argv = spec->argv->v,
                        .env = spec->env->v,
                        .fds = {{spec->in_fd > 0 ? spec->in_fd : null, 0}, {out[1], 1}, {says[1], 2}},
                        .n_fds = 3,
                        .session = true},
        &c->pid);
    free(path);
    close(null);
    close(out[1]);
    close(says[1]);
    c->streams[STREAM_OUT].fd = out[0];
    c->streams[STREAM_SAYS].fd = says[0];
    if (r < 0) {
        c->pid = 0;
        return r;
    }
    for (size_t i = 0; i < N_STREAMS; i++)
        fcntl(c->streams[i].fd, F_SETFL, O_NONBLOCK);
    c->process.fd = (int)syscall(SYS_pidfd_open, c->pid, 0);
    return c->process.fd < 0 ? -errno : 0;
}

struct slurm_command *slurm_command_new(struct loop *l, const struct slurm_command_spec *spec,
                                        slurm_command_fn *fn, void *ctx)
{
    struct slurm_command *c = xcalloc(1, sizeof *c);
    *c = (struct slurm_command){.loop = l,
                                .fn = fn,
                                .ctx = ctx,
                                .on_bytes = spec->on_bytes,
                                .started = loop_now(l),
                                .exit_code = -1};
    c->process = (struct loop_fd){.fd = -1, .fn = slurm_command_on_over, .ctx = c};
    c->streams[STREAM_OUT] = (struct loop_fd){.fd = -1, .fn = slurm_command_on_out, .ctx = c};
    c->streams[STREAM_SAYS] = (struct loop_fd){.fd = -1, .fn = slurm_command_on_says, .ctx = c};
    c->patience = (struct loop_timer){.fn = slurm_command_on_patience, .ctx = c};
    c->failed = (struct loop_call){.fn = slurm_command_on_failed, .ctx = c};
    for (size_t i = 0; i < N_STREAMS; i++)
        str_init(&c->texts[i]);
    int r = slurm_command_start(c, spec);
    if (r < 0) {
        str_appendf(&c->texts[STREAM_SAYS], "%s cannot be started: %s", spec->argv->v[0], strerror(-r));
        slurm_command_close(c, &c->streams[STREAM_OUT]);
        slurm_command_close(c, &c->streams[STREAM_SAYS]);
        loop_call_ask(l, &c->failed);
        return c;
    }
    loop_watch(l, &c->process, LOOP_READ);
    for (size_t i = 0; i < N_STREAMS; i++)
        loop_watch(l, &c->streams[i], LOOP_READ);
    if (spec->timeout_ms)
        loop_timer_set(l, &c->patience, spec->timeout_ms);
    return c;
}

/* --- the environment --- */

static bool slurm_env_is_slurms(const char *entry)
{
    static const char *const prefixes[] = {
        "SLURM_", "SLURMD_", "SQUEUE_",  "SINFO_",    "SBATCH_",  "SALLOC_", "SRUN_", "SACCT_",
        "SPRIO_", "SSHARE_", "SCANCEL_", "SCONTROL_", "SATTACH_", "LC_",     "LANG=", "LANGUAGE="};
    for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes; i++)
        if (str_starts(entry, prefixes[i]))
            return !str_starts(entry, "SLURM_CONF=") && !str_starts(entry, "SLURM_CONF_SERVER=");
    return false;
}

struct strv slurm_clean_env(char *const *env)
{
    struct strv clean = {0};
    for (; env && *env; env++)
        if (!slurm_env_is_slurms(*env))
            strv_push(&clean, *env);
    strv_setenv(&clean, "LC_ALL", "C");
    strv_setenv(&clean, "SLURM_TIME_FORMAT", "%s");
    strv_setenv(&clean, "SLURM_BITSTR_LEN", "0"); /* lists of array indices in full */
    /* A row for each waiting element that was changed. Later releases than 22.05 have no such rows, and do
     * not know the variable; the option of that name would be refused there. */
    strv_setenv(&clean, "SQUEUE_ARRAY_UNIQUE", "1");
    return clean;
}
