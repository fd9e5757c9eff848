/* srun.c - runs a step: in the job it is called in or told of, else in one that it gets for it. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "src/base/xalloc.h"
#include "src/cli/pty.h"
#include "src/cli/slurm/srunopts.h"
#include "src/cli/step/allocation.h"
#include "src/cli/step/insidejob.h"
#include "src/cli/step/multiprog.h"
#include "src/cli/step/steprun.h"
#include "src/jobspec/exportenv.h"
#include "src/lang/lang.h"
#include "src/os/file.h"
#include "src/os/path_search.h"

#define EXIT_BAD_OPTION 255
#define MULTIPROG_MAX   (1u << 20)
#define ALLOCATE_FAILED "Unable to allocate resources"

struct srun {
    const struct cli *cli;
    struct srunopts opt;
    struct strv command;
    struct strv env;
    char *multi_prog; /* the configuration's text; NULL: all run command */
};

/* --- what is to be run --- */

/* NULL unless it is a text file of a decent size. */
static char *read_configuration(const char *path)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return NULL;
    struct str text = STR_INIT;
    bool is_text = file_read_fd(fd, MULTIPROG_MAX, &text) == 0 && !memchr(text.s, '\0', text.len);
    close(fd);
    if (is_text)
        return str_take(&text);
    str_fini(&text);
    return NULL;
}

/* What is given to --multi-prog is a configuration file; but where there is none and it names a program,
 * people mean just that. */
static int read_multi_prog(struct srun *s)
{
    const char *operand = s->command.v[0];
    s->multi_prog = read_configuration(operand);
    if (s->multi_prog)
        return 0;
    char *program = path_find_program(getenv("PATH"), operand);
    bool found = program;
    free(program);
    if (!found) {
        cli_error(s->cli, "Could not open multi_prog config file %s", operand);
        return 1;
    }
    cli_say(s->cli, "warning: --multi-prog: %s is a program, no configuration file; every task runs it",
            operand);
    return 0;
}

static int read_env(struct srun *s, bool inside)
{
    struct errtext err;
    const char *spec = s->opt.job.export_spec;
    int rc;
    if (inside) {
        struct strv env = cli_environ();
        rc = export_env(spec, &env, NULL, &s->env, &err);
        strv_fini(&env);
    } else {
        rc = submission_env(spec, s->opt.job.cwd, NULL, &s->env, &err);
    }
    if (rc)
        cli_error(s->cli, "%s", err.s);
    return rc ? 1 : 0;
}

/* --- the step --- */

/* What a step of Slurm finds, too: how srun was called, and by what process. */
static void set_step_env(const struct srun *s, const struct step *step, mode_t mask, struct strv *env)
{
    const char *given = s->opt.job.distribution_text;
    bool block = step->n_ranks > step->nodes; /* the default, as Slurm names it */
    strv_setenv(env, "SLURM_DISTRIBUTION", given ? given : block ? "block" : "cyclic");
    strv_setenvf(env, "SLURM_UMASK", "%04o", (unsigned)mask);
    strv_setenvf(env, "SLURM_PRIO_PROCESS", "%d", getpriority(PRIO_PROCESS, 0));
}

static int srun_fill_payload(struct srun *s, const struct step *step, struct step_payload *p)
{
    struct errtext err;
    p->env = strv_copy(&s->env);
    if (s->opt.pty)
        pty_put_size(&p->env);
    p->workdir = xstrdup(s->opt.job.req.workdir);
    mode_t mask = umask(022);
    umask(mask);
    p->umask = (uint32_t)mask;
    message_add_limits(&s->opt.job, p);
    set_step_env(s, step, mask, &p->env);
    if (s->multi_prog && multiprog_parse(s->command.v[0], s->multi_prog, step->n_ranks, p, &err)) {
        cli_error_lines(s->cli, err.s);
        return 1;
    }
    p->argv = strv_copy(&s->command);
    return 0;
}

static int srun_run_step(struct srun *s, struct follow *f)
{
    struct errtext err;
    struct msg_step_create m = {.job = f->job, .no_wait = s->opt.immediate};
    struct steprun_options opt = {
        .quiet = s->opt.job.quiet,
        .unbuffered = s->opt.unbuffered || s->opt.pty,
        .feed_stdin = srunopts_feeds_stdin(&s->opt),
        .pty = s->opt.pty,
        .disable_status = s->opt.disable_status || s->opt.pty,
        .quit_on_interrupt = s->opt.quit_on_interrupt,
        .wait_s = s->opt.wait_s,
    };
    srunopts_only(&s->opt, opt.only);
    if (srunopts_step(&s->opt, follow_job(f), &s->command, &m.step, &err)) {
        cli_error(s->cli, "Unable to create step for job %u: %s", f->job, err.s);
        return 1;
    }
    m.request_id = client_request_id();
    m.stream_in = opt.feed_stdin && !opt.pty;
    int code = srun_fill_payload(s, &m.step, &m.payload);
    if (!code) {
        if (s->opt.pty)
            pty_raw();
        code = steprun(f, &m, &opt);
        pty_restore();
    }
    rec_fini(&msg_step_create_rec, &m);
    return code;
}

/* --- in a job --- */

static int run_inside(struct srun *s)
{
    struct follow f;
    int code = insidejob_open(s->cli, s->opt.jobid, &f);
    if (code)
        return code;
    code = srun_run_step(s, &f);
    follow_fini(&f);
    return code == STEPRUN_LEFT ? 1 : code;
}

/* --- with an allocation of its own --- */

/* The request is needed twice: for the job and for the step in it. */
static void init_submission(struct srun *s, struct msg_submit *m)
{
    struct job_req copy;
    rec_copy(&job_req_rec, &copy, &s->opt.job.req);
    submission_init(m, &s->opt.job, JOB_KIND_INTERACTIVE);
    rec_fini(&job_req_rec, &s->opt.job.req);
    s->opt.job.req = copy;
    srunopts_shape_job(&s->opt, &m->req);
    m->command = strv_join(&s->command, " ");
    m->test_only = s->opt.test_only;
    if (!m->req.name) {
        const char *slash = strrchr(s->command.v[0], '/');
        m->req.name = xstrdup(slash ? slash + 1 : s->command.v[0]);
    }
    if (s->opt.pty && m->req.ntasks == NOT_GIVEN)
        m->req.ntasks = 1;
}

static int test_only(const struct srun *s, const struct msg_submit *m)
{
    struct msg_result r;
    struct errtext err = {0};
    if (submission_send(s->cli, m, NULL, &r, &err))
        return submission_away(s->cli, ALLOCATE_FAILED, &err);
    int code = 0;
    submission_warn(s->cli, &r);
    if (r.refusal != REFUSAL_NONE)
        code = submission_refused(s->cli, "allocation failure", &r);
    else
        cli_say(s->cli, "Job %u %s", r.job, r.text ? r.text : "fits");
    rec_fini(&msg_result_rec, &r);
    return code;
}

static int run_outside(struct srun *s)
{
    struct msg_submit m;
    struct follow f;
    struct allocation_options opt = {
        .failed = ALLOCATE_FAILED,
        .quiet = s->opt.job.quiet,
        .immediate_s = s->opt.immediate ? (s->opt.immediate_s ? s->opt.immediate_s : 1) : 0,
        .own = true,
    };
    init_submission(s, &m);
    int code = s->opt.test_only ? test_only(s, &m) : allocation_get(s->cli, &m, &opt, &f);
    rec_fini(&msg_submit_rec, &m);
    if (code || s->opt.test_only)
        return code;
    s->opt.immediate = false;
    code = srun_run_step(s, &f);
    if (code == STEPRUN_LEFT)
        follow_fini(&f);
    else
        allocation_end(&f, code);
    return code == STEPRUN_LEFT ? 1 : code;
}

/* --- the command line --- */

static bool srun_parse(struct srun *s, int argc, char **argv, int *ret_exit)
{
    struct errtext err = {0};
    struct strv env = cli_environ();
    s->opt.job.level = LEVEL_ENV;
    enum opt_result r = opt_env(&srun_opts, &s->opt, &env, "SLURM_ SRUN_", &err);
    s->opt.job.level = LEVEL_COMMAND_LINE;
    if (r == OPT_OK)
        r = opt_parse(&srun_opts, &s->opt, argc, argv, OPT_STOP_AT_OPERAND, &s->command, &err);
    if (r == OPT_OK && (jobopts_finish(&s->opt.job, &err) || srunopts_finish(&s->opt, &err)))
        r = OPT_BAD_VALUE;
    strv_fini(&env);
    return cli_parsed(s->cli, r, &err, ret_exit);
}

static int prepare_and_run(struct srun *s)
{
    if (s->opt.mpi_list) {
        puts("MPI plugin types are...\n\tnone\n\tpmi2");
        return 0;
    }
    if (!s->command.n) {
        cli_say(s->cli, "fatal: No command given to execute.");
        return 1;
    }
    if (s->opt.multi_prog && read_multi_prog(s))
        return 1;
    bool inside = s->opt.jobid != 0;
    if (read_env(s, inside))
        return 1;
    return inside ? run_inside(s) : run_outside(s);
}

static int srun_run(struct cli *cli, int argc, char **argv)
{
    struct srun s = {.cli = cli};
    int code;
    srunopts_init(&s.opt);
    if (srun_parse(&s, argc, argv, &code))
        code = prepare_and_run(&s);
    free(s.multi_prog);
    strv_fini(&s.command);
    strv_fini(&s.env);
    srunopts_fini(&s.opt);
    return code;
}

const struct command cmd_srun = {
    .name = "srun",
    .reach = REACH_HERE,
    .summary = N_("Run a step: tasks side by side in a job"),
    .usage = "[OPTIONS] COMMAND [ARGS...]",
    .options = &srun_opts,
    .slurm = true,
    .bad_usage_exit = EXIT_BAD_OPTION,
    .bad_value_exit = EXIT_BAD_OPTION,
    .run = srun_run,
};
