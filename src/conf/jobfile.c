/* jobfile.c - the file of a step job, by tables like stoker.cfg. */
#include "src/conf/jobfile.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "src/base/xalloc.h"
#include "src/conf/option.h"
#include "src/conf/source.h"
#include "src/lang/lang.h"
#include "src/values/time_parse.h"
#include "src/values/units.h"

/* ---- the form of the file ---- */

/* What a step may leave to the job. */
struct resources {
    uint32_t cpus, gpus; /* NOT_GIVEN */
    uint64_t mem_mib;    /* MEM_NOT_GIVEN */
    char *gpu_type;
    uint32_t time_s; /* DURATION_NOT_SET */
};
#define RESOURCES_FIELDS(F, G, S) \
    F(S, U32, cpus) F(S, U32, gpus) F(S, U64, mem_mib) F(S, STR, gpu_type) F(S, U32, time_s)

struct raw_step {
    char *name, *command, *script, *workdir, *output, *error;
    uint32_t tasks, nodes, ranks, mpi;
    struct resources res;
    bool keep_going, append;
    struct strv env;
};
#define RAW_STEP_FIELDS(F, G, S)                                                             \
    F(S, STR, name)                                                                          \
    F(S, STR, command)                                                                       \
    F(S, STR, script)                                                                        \
    F(S, STR, workdir) F(S, STR, output) F(S, STR, error) F(S, U32, tasks) F(S, U32, nodes)  \
        F(S, U32, ranks) F(S, U32, mpi) G(S, SUB, res, resources) F(S, BOOL, keep_going) F(S, BOOL, append) \
            F(S, STRV, env)

struct raw_job {
    char *name, *partition, *account, *qos, *comment, *workdir, *output, *error;
    char *features, *nodelist, *exclude, *dependency, *begin, *deadline, *licenses, *reservation;
    int32_t nice;
    bool hold, append;
    uint32_t lost_node; /* enum lost_node */
    uint32_t restart_at_limit;
    struct resources res;
    struct strv env;
    REC_LIST(struct raw_step) steps;
};
#define RAW_JOB_FIELDS(F, G, S)                                                                           \
    F(S, STR, name)                                                                                       \
    F(S, STR, partition)                                                                                  \
    F(S, STR, account)                                                                                    \
    F(S, STR, qos) F(S, STR, comment) F(S, STR, workdir) F(S, STR, output) F(S, STR, error)               \
        F(S, STR, features) F(S, STR, nodelist) F(S, STR, exclude) F(S, STR, dependency) F(S, STR, begin) \
            F(S, STR, deadline) F(S, I32, nice) F(S, BOOL, hold) F(S, BOOL, append)                       \
                G(S, SUB, res, resources) F(S, STRV, env) G(S, LISTOF, steps, raw_step)                   \
                    F(S, STR, licenses) F(S, STR, reservation) F(S, U32, lost_node) F(S, U32, restart_at_limit)

extern const struct rec_desc resources_rec, raw_step_rec, raw_job_rec;
REC_DEFINE(resources, RESOURCES_FIELDS)
REC_DEFINE(raw_step, RAW_STEP_FIELDS)
REC_DEFINE(raw_job, RAW_JOB_FIELDS)

static const char *const mpi_kinds[] = {"none", "pmi2", NULL}; /* struct step.mpi */
static const char *const on_failure[] = {"stop", "continue", NULL};
static const char *const lost_nodes[] = {"default", "hold",  "requeue",
                                         "cancel",  "lease", NULL}; /* enum lost_node */

/* clang-format off */
#define MEMBER(s, m) .offset = offsetof(struct s, m)
#define INHERITED(s, m) MEMBER(s, res.m), .special = "none"

/* The same keys in a job and in its steps. */
#define RESOURCE_OPTIONS(s, default_help) \
    {.name = "cpus", .type = CONF_U32, INHERITED(s, cpus), .special_value = NOT_GIVEN, .def = "none", .min = 1, \
     .max = CPUSET_MAX, .def_help = default_help "1", .help = "CPUs of each rank."}, \
    {.name = "mem", .type = CONF_MEM, INHERITED(s, mem_mib), .special_value = MEM_NOT_GIVEN, .def = "none", \
     .def_help = default_help "the node's share for its CPUs", .help = "Memory of each task on each of its nodes."}, \
    {.name = "gpus", .type = CONF_U32, INHERITED(s, gpus), .special_value = NOT_GIVEN, .def = "none", .min = 0, \
     .max = CPUSET_MAX, .def_help = default_help "0", .help = "GPUs of each task on each of its nodes."}, \
    {.name = "gpu_type", .type = CONF_NAME, MEMBER(s, res.gpu_type), .def_help = default_help "any", .help = "Their type."}

static const struct conf_option step_options[] = {
    {.name = "name", .type = CONF_NAME, MEMBER(raw_step, name), .def_help = "`step-N`", .help = "Its name."},
    {.name = "command", .type = CONF_STR, MEMBER(raw_step, command), .def_help = "this or `script` is required",
     .help = "A line for `/bin/sh -c`. Each task gets it, and finds its number in `STOKER_TASK_ID`."},
    {.name = "script", .type = CONF_STR, MEMBER(raw_step, script), .def_help = "this or `command` is required",
     .help = "A file, read when the job is submitted; a relative path counts from the job file. Its first line names "
     "the interpreter."},
    {.name = "tasks", .type = CONF_U32, MEMBER(raw_step, tasks), .def = "1", .min = 1, .max = JOBFILE_MAX_TASKS,
     .help = "Tasks, each placed on its own as soon as there is room."},
    {.name = "nodes", .type = CONF_U32, MEMBER(raw_step, nodes), .def = "1", .min = 1, .max = JOBFILE_MAX_TASKS,
     .help = "Nodes of each task. It starts when it can have all of them at once."},
    {.name = "ranks", .type = CONF_U32, MEMBER(raw_step, ranks), .def = "1", .min = 1, .max = CPUSET_MAX,
     .help = "Processes of each task on each of its nodes, started together."},
    {.name = "mpi", .type = CONF_WORD, MEMBER(raw_step, mpi), .words = mpi_kinds, .def = "none",
     .help = "`pmi2`: the processes of a task are one MPI program, as with `srun --mpi=pmi2`."},
    RESOURCE_OPTIONS(raw_step, "the job's, else "),
    {.name = "time", .type = CONF_DURATION, MEMBER(raw_step, res.time_s), .def = "none", .special = "none",
     .special_value = DURATION_NOT_SET, .bare_refused = true, .def_help = "the job's", .help = "Time limit of each task."},
    {.name = "on_failure", .type = CONF_BOOL_WORD, MEMBER(raw_step, keep_going), .words = on_failure, .def = "stop",
     .help = "`stop`: a task that fails ends the job; `continue`: the next step starts all the same."},
    {.name = "output", .type = CONF_STR, MEMBER(raw_step, output), .def_help = "the job's, else `stoker-%j-%s-%t.out`",
     .help = "Pattern of the file for standard output."},
    {.name = "error", .type = CONF_STR, MEMBER(raw_step, error), .def_help = "the job's, else `output`",
     .help = "Pattern of the file for standard error."},
    {.name = "append", .type = CONF_BOOL, MEMBER(raw_step, append), .def = "false", .help = "Output files are kept and added to."},
    {.name = "workdir", .type = CONF_STR, MEMBER(raw_step, workdir), .def_help = "the job's", .help = "Where it runs."},
    {.name = "env", .type = CONF_STRV, MEMBER(raw_step, env), .whole = true,
     .help = "`NAME=value`, set over the job's environment."},
};

static const struct conf_section step_section = {
    .what = N_("a step"), .title = "steps", .intro = "At least one. A step starts when all tasks of the one before have succeeded, or have "
    "ended where its `on_failure` is `continue`; nothing is held between them.",
    .options = step_options, .n = sizeof step_options / sizeof *step_options, .size = sizeof(struct raw_step)};

static const struct conf_option job_options[] = {
    {.name = "name", .type = CONF_STR, MEMBER(raw_job, name), .def_help = "the file's, without `.job`", .help = "The job's name."},
    {.name = "partition", .type = CONF_STR, MEMBER(raw_job, partition), .def_help = "the default one",
     .help = "One name, or several with commas."},
    {.name = "time", .type = CONF_DURATION, MEMBER(raw_job, res.time_s), .def = "none", .special = "none",
     .special_value = DURATION_NOT_SET, .bare_refused = true, .def_help = "the partition's",
     .help = "Time limit, from the start of its first task to the end of its last."},
    {.name = "account", .type = CONF_STR, MEMBER(raw_job, account), .def_help = "your own", .help = "Account to charge."},
    {.name = "qos", .type = CONF_STR, MEMBER(raw_job, qos), .help = "Quality of service."},
    {.name = "comment", .type = CONF_STR, MEMBER(raw_job, comment), .help = "Any text."},
    {.name = "workdir", .type = CONF_STR, MEMBER(raw_job, workdir), .def_help = "where it is submitted", .help = "Where its steps run."},
    {.name = "output", .type = CONF_STR, MEMBER(raw_job, output), .def_help = "`stoker-%j-%s-%t.out`",
     .help = "Pattern of the files for standard output."},
    {.name = "error", .type = CONF_STR, MEMBER(raw_job, error), .def_help = "`output`", .help = "Pattern of the files for standard error."},
    {.name = "append", .type = CONF_BOOL, MEMBER(raw_job, append), .def = "false", .help = "Output files are kept and added to."},
    RESOURCE_OPTIONS(raw_job, ""),
    {.name = "env", .type = CONF_STRV, MEMBER(raw_job, env), .whole = true,
     .help = "`NAME=value`, set over the environment of its submission."},
    {.name = "features", .type = CONF_STR, MEMBER(raw_job, features), .help = "Like `--constraint`."},
    {.name = "nodelist", .type = CONF_STR, MEMBER(raw_job, nodelist), .def_help = "any", .help = "Only these nodes."},
    {.name = "exclude", .type = CONF_STR, MEMBER(raw_job, exclude), .help = "Not these nodes."},
    {.name = "dependency", .type = CONF_STR, MEMBER(raw_job, dependency), .help = "Like `--dependency`."},
    {.name = "begin", .type = CONF_STR, MEMBER(raw_job, begin), .def_help = "now", .help = "Like `--begin`."},
    {.name = "deadline", .type = CONF_STR, MEMBER(raw_job, deadline), .help = "Like `--deadline`."},
    {.name = "licenses", .type = CONF_STR, MEMBER(raw_job, licenses), .help = "Like `--licenses`."},
    {.name = "lost_node", .type = CONF_WORD, MEMBER(raw_job, lost_node), .words = lost_nodes, .def = "default",
     .def_help = "the partition's, else the cluster's", .help = "Like `--lost-node`."},
    {.name = "reservation", .type = CONF_STR, MEMBER(raw_job, reservation), .help = "Like `--reservation`."},
    {.name = "restart_at_limit", .type = CONF_U32, MEMBER(raw_job, restart_at_limit), .def = "0", .def_help = "never", .min = 0, .max = LIMIT_RESTARTS_MAX,
     .help = "How often it is queued again at its time limit, like `--restart-at-limit`. All of its steps run again."},
    {.name = "nice", .type = CONF_I32, MEMBER(raw_job, nice), .def = "0", .min = -2147483645, .max = 2147483645,
     .help = "Taken off its priority."},
    {.name = "hold", .type = CONF_BOOL, MEMBER(raw_job, hold), .def = "false", .help = "Waits until it is released."},
    {.name = "steps", .type = CONF_LIST, MEMBER(raw_job, steps), .sub = &step_section, .required = true, .help = "What it does."},
};

static const struct conf_section job_section = {
    .what = N_("a job"), .title = "The file", .intro = "Keys outside of any group: the job as a whole, and what its steps have unless they say otherwise.",
    .options = job_options, .n = sizeof job_options / sizeof *job_options};
/* clang-format on */

void jobfile_reference(struct str *out)
{
    conf_write_reference(&job_section, out);
}

/* ---- from the form to the job ---- */

struct build {
    const struct conf_parse *c;
    const config_setting_t *root;
    const char *path;
    struct raw_job *raw;
    struct jobfile *out;
};

static const config_setting_t *step_setting(const struct build *b, size_t i, const char *key)
{
    const config_setting_t *list = config_setting_get_member(b->root, "steps");
    const config_setting_t *step = config_setting_get_elem(list, (unsigned)i);
    const config_setting_t *member = config_setting_get_member(step, key);
    return member ? member : step;
}

static char *jobfile_take(char **s)
{
    char *text = *s;
    *s = NULL;
    return text;
}

static char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    char *name = xstrdup(slash ? slash + 1 : path);
    if (str_ends(name, ".job") && strlen(name) > strlen(".job"))
        name[strlen(name) - strlen(".job")] = '\0';
    return name;
}

static int check_env(const struct build *b, const config_setting_t *at, const struct strv *env)
{
    for (size_t i = 0; i < env->n; i++)
        if (env->v[i][0] == '=' || !strchr(env->v[i], '='))
            return conf_error(b->c, at, tr("env: \"%.80s\" is not NAME=value"), env->v[i]);
    return 0;
}

static int read_time(const struct build *b, const char *key, const char *text, struct wall now,
                     struct wall *ret)
{
    struct errtext why = {""};
    if (!text || wall_parse(text, now, ret, &why) == 0)
        return 0;
    return conf_error(b->c, config_setting_get_member(b->root, key), "%s: %s", key, why.s);
}

static int build_request(const struct build *b, struct wall now)
{
    struct raw_job *raw = b->raw;
    struct job_req *req = &b->out->req;
    job_req_init(req);
    struct job_req_rare *rare = req_rare_mut(req);
    if (raw->name && !*raw->name)
        return conf_error(b->c, config_setting_get_member(b->root, "name"),
                          tr("name: an empty text is not a name"));
    int r = read_time(b, "begin", raw->begin, now, &req_detail_mut(req)->begin);
    if (r == 0)
        r = read_time(b, "deadline", raw->deadline, now, &rare->deadline);
    if (r == 0 && raw->env.n)
        r = check_env(b, config_setting_get_member(b->root, "env"), &raw->env);
    if (r < 0)
        return r;
    free(req->name);
    req->name = raw->name ? jobfile_take(&raw->name) : base_name(b->path);
    req->partition = jobfile_take(&raw->partition);
    req->account = jobfile_take(&raw->account);
    req_detail_mut(req)->qos = jobfile_take(&raw->qos);
    rare->comment = jobfile_take(&raw->comment);
    req->workdir = jobfile_take(&raw->workdir);
    req->std_out = xstrdup(raw->output);
    req_detail_mut(req)->std_err = xstrdup(raw->error);
    req_detail_mut(req)->append = raw->append;
    req_detail_mut(req)->features = jobfile_take(&raw->features);
    rare->nodelist = jobfile_take(&raw->nodelist);
    rare->exclude = jobfile_take(&raw->exclude);
    req->dependency = jobfile_take(&raw->dependency);
    req_detail_mut(req)->licenses = jobfile_take(&raw->licenses);
    rare->reservation = jobfile_take(&raw->reservation);
    req->time_limit_s = raw->res.time_s;
    req_detail_mut(req)->nice = raw->nice;
    rare->lost_node = raw->lost_node;
    rare->limit_restarts = raw->restart_at_limit;
    b->out->hold = raw->hold;
    b->out->env = raw->env;
    raw->env = (struct strv){0};
    return 0;
}

/* ---- scripts ---- */

static int read_script(const char *path, struct blob *ret, struct errtext *why)
{
    struct str text = STR_INIT;
    int r = source_read_file(path, JOBFILE_MAX_SCRIPT, JOBFILE_MAX_SCRIPT >> 20, &text, why);
    if (r == 0 && !str_starts(text.s, "#!"))
        r = err_set(why, -EINVAL, tr("%.200s: its first line names no interpreter (#!/bin/sh)"), path);
    else if (r == 0 && memchr(text.s, '\0', text.len))
        r = err_set(why, -EINVAL, tr("%.200s: a NUL byte in it"), path);
    else if (r == 0 && text.s[strcspn(text.s, "\r\n")] == '\r')
        r = err_set(why, -EINVAL, tr("%.200s: its lines end as in DOS (run dos2unix)"), path);
    if (r < 0) {
        str_fini(&text);
        return r;
    }
    ret->n = text.len;
    ret->p = (uint8_t *)str_take(&text);
    return 0;
}

static int build_program(const struct build *b, size_t i, const struct raw_step *raw,
                         struct jobfile_step *s)
{
    if (!raw->command == !raw->script)
        return conf_error(b->c, step_setting(b, i, "command"),
                          tr("a step needs \"command\" or \"script\", one of them"));
    if (raw->command) {
        if (!raw->command[strspn(raw->command, " \t\n")])
            return conf_error(b->c, step_setting(b, i, "command"), tr("command is empty"));
        strv_push(&s->argv, "/bin/sh");
        strv_push(&s->argv, "-c");
        strv_push(&s->argv, raw->command);
        s->step.command = xstrdup(raw->command);
        return 0;
    }
    const char *slash = strrchr(b->path, '/');
    char *path = *raw->script == '/' || !slash
                     ? xstrdup(raw->script)
                     : xasprintf("%.*s/%s", (int)(slash - b->path), b->path, raw->script);
    struct errtext why = {""};
    int r = read_script(path, &s->script, &why);
    if (r < 0)
        conf_error(b->c, step_setting(b, i, "script"), "script: %s", why.s);
    s->step.command = xstrdup(raw->script);
    free(path);
    return r < 0 ? -EINVAL : 0;
}

static int build_step(const struct build *b, size_t i, struct raw_step *raw)
{
    const struct resources *job = &b->raw->res, *own = &raw->res;
    struct jobfile_step *s = rec_list_push(&b->out->steps);
    s->step = (struct step){
        .id = (int32_t)i,
        .name = raw->name ? jobfile_take(&raw->name) : xasprintf("step-%zu", i),
        .n_tasks = raw->tasks,
        .n_ranks = raw->ranks,
        .nodes = raw->nodes,
        .mpi = raw->mpi,
        .cpus_per_rank = own->cpus != NOT_GIVEN   ? own->cpus
                         : job->cpus != NOT_GIVEN ? job->cpus
                                                  : 1,
        .mem_mib = own->mem_mib != MEM_NOT_GIVEN ? own->mem_mib : job->mem_mib,
        .gpus = own->gpus != NOT_GIVEN   ? own->gpus
                : job->gpus != NOT_GIVEN ? job->gpus
                                         : 0,
        .gpu_type = xstrdup(own->gpu_type ? own->gpu_type : job->gpu_type),
        .time_limit_s = own->time_s,
        .keep_going = raw->keep_going,
        .std_out = xstrdup(raw->output ? raw->output : b->raw->output),
        .std_err = xstrdup(raw->error    ? raw->error
                           : raw->output ? NULL
                                         : b->raw->error),
        .append = raw->append || b->raw->append,
        .workdir = jobfile_take(&raw->workdir),
    };
    if ((uint64_t)raw->ranks * s->step.cpus_per_rank > CPUSET_MAX)
        return conf_error(b->c, step_setting(b, i, "ranks"),
                          tr("ranks: %u of %u CPUs are more than a node can have (%u)"), raw->ranks,
                          s->step.cpus_per_rank, CPUSET_MAX);
    if (raw->env.n) {
        int r = check_env(b, step_setting(b, i, "env"), &raw->env);
        if (r < 0)
            return r;
    }
    s->env = raw->env;
    raw->env = (struct strv){0};
    return build_program(b, i, raw, s);
}

static int build_steps(const struct build *b)
{
    if (!b->raw->steps.n)
        return conf_error(b->c, config_setting_get_member(b->root, "steps"),
                          tr("steps: at least one step is needed"));
    if (b->raw->steps.n > JOBFILE_MAX_STEPS)
        return conf_error(b->c, config_setting_get_member(b->root, "steps"), tr("steps: more than %d"),
                          JOBFILE_MAX_STEPS);
    uint64_t tasks = 0;
    int r = 0;
    for (size_t i = 0; i < b->raw->steps.n && r == 0; i++) {
        tasks += (uint64_t)b->raw->steps.v[i].tasks * b->raw->steps.v[i].nodes;
        r = tasks > JOBFILE_MAX_TASKS
                ? conf_error(b->c, step_setting(b, i, "tasks"),
                             tr("tasks: more than %d in the whole job (times their nodes)"),
                             JOBFILE_MAX_TASKS)
                : build_step(b, i, &b->raw->steps.v[i]);
    }
    return r;
}

static int jobfile_parse_text(struct conf_source *src, const char *path, struct wall now,
                              struct jobfile *ret, struct errtext *err)
{
    config_t cfg;
    config_init(&cfg);
    struct conf_parse c = {.src = src, .err = err};
    struct raw_job raw = {0};
    struct jobfile out = {.path = xstrdup(path)};
    conf_set_defaults(&job_section, &raw);
    int r = source_parse(src, &cfg, err);
    struct build b = {.c = &c, .root = config_root_setting(&cfg), .path = path, .raw = &raw, .out = &out};
    if (r == 0)
        r = conf_read_group(&c, &job_section, b.root, &raw);
    if (r == 0)
        r = build_request(&b, now);
    if (r == 0)
        r = build_steps(&b);
    config_destroy(&cfg);
    rec_fini(&raw_job_rec, &raw);
    if (r < 0)
        jobfile_fini(&out);
    else
        *ret = out;
    return r;
}

int jobfile_load(const char *path, struct wall now, struct jobfile *ret, struct errtext *err)
{
    struct conf_source src;
    int r = source_read(path, &src, err);
    if (r < 0)
        return r;
    r = jobfile_parse_text(&src, path, now, ret, err);
    source_fini(&src);
    return r;
}

int jobfile_parse(const char *path, const char *text, struct wall now, struct jobfile *ret,
                  struct errtext *err)
{
    struct conf_source src;
    int r = source_from_text(path, text, &src, err);
    if (r < 0)
        return r;
    r = jobfile_parse_text(&src, path, now, ret, err);
    source_fini(&src);
    return r;
}

void jobfile_fini(struct jobfile *f)
{
    rec_fini(&job_req_rec, &f->req);
    strv_fini(&f->env);
    free(f->path);
    for (size_t i = 0; i < f->steps.n; i++) {
        struct jobfile_step *s = &f->steps.v[i];
        rec_fini(&step_rec, &s->step);
        strv_fini(&s->argv);
        free(s->script.p);
        strv_fini(&s->env);
    }
    free(f->steps.v);
    *f = (struct jobfile){0};
}
