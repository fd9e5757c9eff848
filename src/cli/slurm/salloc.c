/* salloc.c - an allocation for a command or a shell of the user. */
#include <errno.h>
#include <pwd.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "src/base/xalloc.h"
#include "src/cli/step/allocation.h"
#include "src/jobenv/jobenv.h"
#include "src/jobspec/exportenv.h"
#include "src/jobspec/jobopts.h"
#include "src/lang/lang.h"
#include "src/values/units.h"

#define EXIT_BAD_OPTION 255

enum sallocopt {
    A_BELL = J_N,
    A_IMMEDIATE,
    A_KILL_COMMAND,
    A_NO_BELL,
};

struct salloc {
    struct jobopts job;
    bool no_shell;
    uint32_t immediate_s;
};

static int salloc_set(void *ctx, const struct opt *o, const char *arg, struct errtext *err)
{
    struct salloc *s = ctx;
    int64_t n = 1;
    switch ((enum sallocopt)o->id) {
    case A_BELL:
    case A_NO_BELL:
    case A_KILL_COMMAND: return 0;
    case A_IMMEDIATE:
        if (arg && int_parse(arg, 0, 1000000, &n, NULL))
            return err_set(err, -EINVAL, "Invalid --immediate specification");
        s->immediate_s = n ? (uint32_t)n : 1;
        return 0;
    }
    bug_on(true);
    return 0;
}

static const struct opt salloc_table[] = {
    {.id = A_BELL, .name = "bell"},
    {.id = A_IMMEDIATE,
     .name = "immediate",
     .letter = 'I',
     .arg = OPT_OPTIONAL,
     .meta = "SECONDS",
     .help = "give up where it does not start at once",
     .env = "SALLOC_IMMEDIATE"},
    {.id = A_KILL_COMMAND, .name = "kill-command", .letter = 'K', .arg = OPT_OPTIONAL},
    {.id = A_NO_BELL, .name = "no-bell"},
    {OPT_SETS(struct salloc, no_shell), .name = "no-shell",
     .help = "get the allocation and leave it running without a command"},
};
static const struct opts salloc_opts = OPTS_ALSO(salloc_table, salloc_set, &jobopts_table);

static bool salloc_parse(const struct cli *cli, struct salloc *s, int argc, char **argv,
                         struct strv *command, int *ret_exit)
{
    struct errtext err = {0};
    struct strv env = cli_environ();
    s->job.level = LEVEL_ENV;
    enum opt_result r = opt_env(&salloc_opts, s, &env, "SALLOC_", &err);
    s->job.level = LEVEL_COMMAND_LINE;
    if (r == OPT_OK)
        r = opt_parse(&salloc_opts, s, argc, argv, OPT_STOP_AT_OPERAND, command, &err);
    if (r == OPT_OK && jobopts_finish(&s->job, &err))
        r = OPT_BAD_VALUE;
    strv_fini(&env);
    return cli_parsed(cli, r, &err, ret_exit);
}

static void default_command(struct strv *command)
{
    if (command->n)
        return;
    const struct passwd *pw = getpwuid(getuid());
    const char *shell = getenv("SHELL");
    strv_push(command, !str_is_empty(shell)                ? shell
                       : pw && !str_is_empty(pw->pw_shell) ? pw->pw_shell
                                                           : "/bin/sh");
}

/* --- the command --- */

static struct strv command_env(const struct follow *f, const struct jobopts *o)
{
    struct strv env = cli_environ();
    const struct job *j = follow_job(f);
    export_clean_job(&env);
    message_set_env(o, &env);
    jobenv_job(&env, f->cluster, j);
    jobenv_gpus(&env, &j->alloc.v[0]);
    return env;
}

static pid_t start_command(const struct cli *cli, const struct strv *command, const struct strv *env,
                           const char *dir)
{
    pid_t pid = fork();
    if (pid)
        return pid;
    follow_reset_signals();
    if (dir && chdir(dir) < 0)
        cli_error(cli, "%s: %s", dir, strerror(errno));
    execvpe(command->v[0], command->v, env->v);
    cli_error(cli, "_fork_command: Unable to find command \"%s\"", command->v[0]);
    _exit(1);
}

static bool has_ended(const struct follow *f)
{
    const struct job *j = follow_job(f);
    return f->known && (!j || job_state_is_final((enum job_state)j->state) || j->state == JOB_COMPLETING);
}

/* Signals of the terminal reach the command by themselves; what is sent to salloc alone is handed on. The
 * job's end hangs up on it. */
static int wait_command(struct follow *f, pid_t pid, bool *ret_revoked)
{
    *ret_revoked = false;
    for (;;) {
        int status;
        if (waitpid(pid, &status, WNOHANG) == pid)
            return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
        if (has_ended(f) && !*ret_revoked) {
            *ret_revoked = true;
            cli_say(f->cli, "Job allocation %u has been revoked.", f->job);
            kill(pid, SIGHUP);
        }
        struct follow_turn t;
        unsigned bits = follow_wait(f, -1, -1, &t);
        if (bits & FOLLOW_MESSAGE)
            msg_free(t.in.kind, t.in.body);
        if ((bits & FOLLOW_SIGNAL) && t.signal.ssi_signo != SIGCHLD && t.signal.ssi_code != SI_KERNEL)
            kill(pid, (int)t.signal.ssi_signo);
    }
}

static int run_command(struct follow *f, const struct strv *command, const char *dir,
                       const struct jobopts *o)
{
    struct strv env = command_env(f, o);
    pid_t pid = start_command(f->cli, command, &env, dir);
    strv_fini(&env);
    int code = 1;
    bool revoked = false;
    if (pid < 0)
        cli_error(f->cli, "cannot start the command: %s", strerror(errno));
    else
        code = wait_command(f, pid, &revoked);
    uint32_t job = f->job;
    if (!revoked && !o->quiet)
        cli_say(f->cli, "Relinquishing job allocation %u", job);
    allocation_end(f, code);
    return code;
}

static int allocate_and_run(const struct cli *cli, struct salloc *s, struct strv *command)
{
    struct msg_submit m;
    struct follow f;
    bool chdir_given = s->job.given[J_CHDIR] != LEVEL_DEFAULT;
    struct allocation_options opt = {
        .failed = "Job submit/allocate failed",
        .quiet = s->job.quiet,
        .granted_lines = true,
        .immediate_s = s->immediate_s,
        .own = !s->no_shell,
        .children = true,
    };
    submission_init(&m, &s->job, JOB_KIND_INTERACTIVE);
    m.command = command->n ? strv_join(command, " ") : NULL;
    m.detached = s->no_shell;
    if (!m.req.name)
        m.req.name = xstrdup(s->no_shell ? "no-shell" : "interactive");
    int code = allocation_get(cli, &m, &opt, &f);
    if (!code && s->no_shell)
        follow_fini(&f);
    else if (!code)
        code = run_command(&f, command, chdir_given ? m.req.workdir : NULL, &s->job);
    rec_fini(&msg_submit_rec, &m);
    return code;
}

static int salloc_run(struct cli *cli, int argc, char **argv)
{
    struct salloc s = {.no_shell = false};
    struct strv command = {0};
    int code;
    jobopts_init(&s.job);
    if (salloc_parse(cli, &s, argc, argv, &command, &code)) {
        if (!s.no_shell)
            default_command(&command);
        code = allocate_and_run(cli, &s, &command);
    }
    strv_fini(&command);
    jobopts_fini(&s.job);
    return code;
}

const struct command cmd_salloc = {
    .name = "salloc",
    .reach = REACH_HERE,
    .summary = N_("Get an allocation and run a command or a shell in it"),
    .usage = "[OPTIONS] [COMMAND [ARGS...]]",
    .options = &salloc_opts,
    .slurm = true,
    .bad_usage_exit = EXIT_BAD_OPTION,
    .bad_value_exit = EXIT_BAD_OPTION,
    .run = salloc_run,
};
