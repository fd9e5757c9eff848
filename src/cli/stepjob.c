/* stepjob.c - a job file as what is submitted. */
#include "src/cli/stepjob.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "src/base/xalloc.h"
#include "src/conf/jobfile.h"

/* What each step says for itself. */
static const uint8_t of_steps[] = {
    J_NODES,         J_NTASKS,        J_NTASKS_PER_NODE, J_NTASKS_PER_GPU, J_CPUS_PER_TASK, J_CPUS_PER_GPU,
    J_MINCPUS,       J_MEM,           J_MEM_PER_CPU,     J_MEM_PER_GPU,    J_GPUS,          J_GRES,
    J_GPUS_PER_NODE, J_GPUS_PER_TASK, J_DISTRIBUTION,    J_INPUT,          J_OUTPUT,        J_ERROR,
    J_OPEN_MODE,
};

static const char *option_name(int id)
{
    for (size_t i = 0; i < jobopts_table.n; i++)
        if (jobopts_table.v[i].id == id)
            return jobopts_table.v[i].name;
    return "?";
}

static int check_options(const struct batch *b, struct errtext *err)
{
    for (size_t i = 0; i < sizeof of_steps; i++)
        if (b->job.given[of_steps[i]])
            return err_set(err, -EINVAL, "--%s: in a job file each step says that for itself",
                           option_name(of_steps[i]));
    if (b->job.req.array_spec || b->wrap)
        return err_set(err, -EINVAL, "--%s does not go with a job file", b->wrap ? "wrap" : "array");
    return 0;
}

static void make_absolute(char **path, const char *dir)
{
    if (!*path || **path == '/' || !dir)
        return;
    char *whole = xasprintf("%s/%s", dir, *path);
    free(*path);
    *path = whole;
}

static void merge_env(struct strv *env, const struct strv *over)
{
    for (size_t i = 0; i < over->n; i++) {
        const char *value = strchr(over->v[i], '=');
        char *name = xstrndup(over->v[i], (size_t)(value - over->v[i]));
        strv_setenv(env, name, value + 1);
        free(name);
    }
}

/* A step with variables of its own gets all of them; one without has the job's. */
static void add_step(struct msg_submit *m, struct jobfile_step *s)
{
    struct step *step = rec_list_push(&m->steps);
    *step = s->step;
    s->step = (struct step){.id = 0};
    make_absolute(&step->workdir, m->req.workdir);
    struct step_payload *p = rec_list_push(&m->step_payloads);
    p->argv = s->argv;
    p->script = s->script;
    s->argv = (struct strv){0};
    s->script = (struct blob){0};
    p->workdir = xstrdup(step->workdir ? step->workdir : m->req.workdir);
    p->umask = m->payload.umask;
    if (s->env.n) {
        p->env = strv_copy(&m->payload.env);
        merge_env(&p->env, &s->env);
    }
}

/* The file's request is what the command line's options go over. */
static void take_request(struct jobopts *o, struct jobfile *f)
{
    rec_fini(&job_req_rec, &o->req);
    o->req = f->req;
    f->req = (struct job_req){0};
    o->hold = f->hold;
    make_absolute(&o->req.workdir, o->cwd);
}

static int build(struct batch *b, struct jobfile *f, struct msg_submit *ret, struct errtext *err)
{
    struct strv env;
    int rc = submission_env(b->job.export_spec, b->job.cwd, &env, err);
    if (rc)
        return rc;
    merge_env(&env, &f->env);
    submission_init(ret, &b->job, JOB_KIND_STEPS);
    ret->payload.env = env;
    ret->test_only = b->test_only;
    ret->command = realpath(f->path, NULL);
    for (size_t i = 0; i < f->steps.n; i++)
        add_step(ret, &f->steps.v[i]);
    return 0;
}

bool stepjob_message(const struct cli *cli, struct batch *b, const char *path, int argc, char **argv,
                     struct msg_submit *ret, int *ret_exit)
{
    struct jobfile f;
    struct errtext err = {0};
    if (jobfile_load(path, b->job.now, &f, &err)) {
        cli_error_lines(cli, err.s);
        *ret_exit = 1;
        return false;
    }
    take_request(&b->job, &f);
    b->job.level = LEVEL_COMMAND_LINE;
    enum opt_result r = opt_parse(cli->cmd->options, b, argc, argv, OPT_STOP_AT_OPERAND, NULL, &err);
    if (r == OPT_OK && (check_options(b, &err) || jobopts_finish(&b->job, &err) || build(b, &f, ret, &err)))
        r = OPT_BAD_VALUE;
    jobfile_fini(&f);
    return cli_parsed(cli, r, &err, ret_exit);
}
