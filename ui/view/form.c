/* form.c - a submission that is being written. */
#include "ui/view/form.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "src/base/vec.h"
#include "src/base/words.h"
#include "src/base/xalloc.h"
#include "src/jobspec/directives.h"
#include "src/jobspec/jobfileedit.h"
#include "src/jobspec/message.h"
#include "ui/view/formcommand.h"

#define NEW_SCRIPT "#!/bin/bash\n\n"
#define NEW_JOB    "steps = (\n  { name = \"main\"; command = \"\"; }\n);\n"

/* --- the fields: what is not in these tables is still in the text --- */

#define TEXT(k, i, l, h)                         \
    {                                            \
        .key = k, .id = i, .label = l, .help = h \
    }
#define NUMBER(k, i, l, h)                                             \
    {                                                                  \
        .key = k, .id = i, .label = l, .help = h, .kind = FIELD_NUMBER \
    }
#define SWITCH(k, i, l, h)                                             \
    {                                                                  \
        .key = k, .id = i, .label = l, .help = h, .kind = FIELD_SWITCH \
    }
#define CHOICE(k, i, l, h, c)                                                        \
    {                                                                                \
        .key = k, .id = i, .label = l, .help = h, .kind = FIELD_CHOICE, .choices = c \
    }

/* clang-format off */
const struct form_field form_batch_fields[] = {
    {.key = "command", .id = FORM_COMMAND, .label = "command", .section = "What", .help = "one line for the shell; more of them in the script: Tab"},
    TEXT("job-name", J_JOB_NAME, "name", "the job's name; else the script's"),
    TEXT("arguments", FORM_ARGS, "arguments", "handed to the script, as in a shell"),
    TEXT("chdir", J_CHDIR, "directory", "where it runs; else where this was started"),
    {.key = "gpus", .id = J_GPUS, .label = "GPUs", .section = "How much", .help = "in the whole job: 2, or a100:2; F4 shows the types"},
    NUMBER("cpus-per-task", J_CPUS_PER_TASK, "CPUs", "of each task; one task unless said below"),
    TEXT("mem", J_MEM, "memory", "on each node: 16G, 4000M; 0 is all of the node"),
    TEXT("time", J_TIME, "time limit", "30 (minutes), 2:00:00, 1-12:00:00; shorter starts sooner"),
    {.key = "partition", .id = J_PARTITION, .label = "partition", .section = "Where", .help = "one, or several with commas: wherever it starts first; F4 lists them"},
    TEXT("constraint", J_CONSTRAINT, "features", "that the nodes must have: a100&nvlink, x86|arm"),
    TEXT("nodelist", J_NODELIST, "on nodes", "only there: n[01-03]"),
    TEXT("exclude", J_EXCLUDE, "not on", "not on these: n04"),
    SWITCH("exclusive", J_EXCLUSIVE, "whole nodes", "nobody else beside it; Space turns it on and off"),
    {.key = "nodes", .id = J_NODES, .label = "nodes", .section = "Tasks", .help = "2, or 2-4: from two to four"},
    NUMBER("ntasks", J_NTASKS, "tasks", "that srun starts in it"),
    NUMBER("ntasks-per-node", J_NTASKS_PER_NODE, "a node", "tasks on each node"),
    TEXT("gpus-per-task", J_GPUS_PER_TASK, "GPUs a task", "instead of GPUs above"),
    TEXT("mem-per-cpu", J_MEM_PER_CPU, "memory a CPU", "instead of memory above"),
    {.key = "array", .id = B_ARRAY, .label = "array", .section = "Array and order", .help = "one job for each index: 0-99, 1,5,9, 0-99%8 (eight at once); F4 helps"},
    TEXT("dependency", J_DEPENDENCY, "depends on", "afterok:12, afterany:12:13, singleton; F4 picks a job"),
    TEXT("begin", J_BEGIN, "not before", "now+2hours, 18:00, tomorrow, 2026-12-24T08:00"),
    TEXT("deadline", J_DEADLINE, "deadline", "given up where it cannot end by then"),
    SWITCH("hold", J_HOLD, "held", "queued, but not started until released"),
    TEXT("nice", J_NICE, "nice", "a number: later than your other jobs by so much"),
    TEXT("priority", J_PRIORITY, "priority", "a fixed number (administrators)"),
    {.key = "output", .id = J_OUTPUT, .label = "output", .section = "Files", .help = "%j job, %A array, %a index, %x name, %N node; else slurm-%j.out"},
    TEXT("error", J_ERROR, "errors", "else in the same file as the output"),
    TEXT("input", J_INPUT, "input", "else /dev/null"),
    CHOICE("open-mode", J_OPEN_MODE, "files there", "append to what is there, or begin anew; Space chooses", "append truncate"),
    {.key = "export", .id = J_EXPORT, .label = "environment", .section = "Environment and account", .help = "ALL: as it is here; NONE: a clean login; NAME, NAME=value"},
    TEXT("account", J_ACCOUNT, "account", "that is charged; else your own"),
    TEXT("qos", J_QOS, "QOS", "quality of service"),
    TEXT("reservation", J_RESERVATION, "reservation", "runs in it"),
    TEXT("licenses", J_LICENSES, "licences", "name:count, ..."),
    {.key = "requeue", .id = J_REQUEUE, .label = "run again", .section = "When things go wrong", .kind = FIELD_SWITCH, .help = "from the beginning after a failed node or a preemption"},
    SWITCH("no-requeue", J_NO_REQUEUE, "never again", "not a second time, whatever happens"),
    CHOICE("lost-node", J_LOST_NODE, "lost node", "what becomes of it then; else what the cluster does; Space chooses", "hold requeue cancel lease"),
    TEXT("signal", J_SIGNAL, "warn with", "USR1@120: a signal so many seconds before the end; B: to the script alone"),
    TEXT("mail-type", J_MAIL_TYPE, "notify", "BEGIN, END, FAIL, ALL"),
    TEXT("mail-user", J_MAIL_USER, "whom", "else you"),
    TEXT("comment", J_COMMENT, "comment", "kept with the job"),
};

#define QUOTED(k, l, h)   {.key = k, .label = l, .help = h, .quoted = true}
const struct form_field form_job_fields[] = {
    {.key = "name", .label = "name", .section = "The job", .help = "the job's name", .quoted = true},
    QUOTED("partition", "partition", "one, or several with commas; F4 lists them"),
    QUOTED("time", "time limit", "2h, 30m, 1-12:00:00: from the first task to the last"),
    QUOTED("workdir", "directory", "where its steps run; else where this was started"),
    {.key = "cpus", .label = "CPUs", .kind = FIELD_NUMBER, .help = "of each rank, for steps that say nothing"},
    QUOTED("mem", "memory", "of each task: 16G"),
    {.key = "gpus", .label = "GPUs", .kind = FIELD_NUMBER, .help = "of each task"},
    QUOTED("gpu_type", "GPU type", "a100; else any"),
    QUOTED("dependency", "depends on", "afterok:12; F4 picks a job"),
    QUOTED("begin", "not before", "now+2hours, 18:00, tomorrow"),
    QUOTED("deadline", "deadline", "given up where it cannot end by then"),
    QUOTED("features", "features", "that the nodes must have"),
    QUOTED("nodelist", "on nodes", "only there"),
    QUOTED("exclude", "not on", "not on these"),
    QUOTED("account", "account", "that is charged"),
    QUOTED("qos", "QOS", "quality of service"),
    QUOTED("output", "output", "else stoker-%j-%s-%t.out"),
    QUOTED("error", "errors", "else in the same file"),
    {.key = "append", .label = "append", .kind = FIELD_CHOICE, .choices = "true false", .help = "keep what is in the files; Space chooses"},
    {.key = "nice", .label = "nice", .help = "a number: later by so much"},
    {.key = "lost_node", .label = "lost node", .kind = FIELD_CHOICE, .quoted = true, .choices = "hold requeue cancel lease", .help = "what becomes of it then; else what the cluster does; Space chooses"},
    {.key = "hold", .label = "held", .kind = FIELD_CHOICE, .choices = "true false", .help = "not started until released"},
    QUOTED("comment", "comment", "kept with the job"),
};

#define OF_STEP(k, l, h, q) {.key = k, .label = l, .help = h, .quoted = q, .of_step = true}
const struct form_field form_step_fields[] = {
    {.key = "name", .label = "step", .section = "Step", .help = "its name", .quoted = true, .of_step = true},
    OF_STEP("command", "command", "a line for the shell; each task gets it, and its number in STOKER_TASK_ID", true),
    OF_STEP("script", "or script", "a file instead of a command", true),
    {.key = "tasks", .label = "tasks", .kind = FIELD_NUMBER, .of_step = true, .help = "each placed on its own as soon as there is room"},
    {.key = "ranks", .label = "ranks", .kind = FIELD_NUMBER, .of_step = true, .help = "processes of each task, started together"},
    {.key = "cpus", .label = "CPUs", .kind = FIELD_NUMBER, .of_step = true, .help = "of each rank; else as the job says"},
    OF_STEP("mem", "memory", "of each task; else as the job says", true),
    {.key = "gpus", .label = "GPUs", .kind = FIELD_NUMBER, .of_step = true, .help = "of each task; else as the job says"},
    OF_STEP("gpu_type", "GPU type", "else as the job says", true),
    OF_STEP("time", "time limit", "of each task: 2h", true),
    {.key = "on_failure", .label = "a failure", .kind = FIELD_CHOICE, .choices = "stop continue", .quoted = true, .of_step = true, .help = "stop: ends the job; continue: the next step starts all the same"},
    OF_STEP("output", "output", "else as the job says", true),
    OF_STEP("error", "errors", "else as the job says", true),
    OF_STEP("workdir", "directory", "else as the job says", true),
};
/* clang-format on */

const size_t form_n_batch_fields = sizeof form_batch_fields / sizeof form_batch_fields[0];
const size_t form_n_job_fields = sizeof form_job_fields / sizeof form_job_fields[0];
const size_t form_n_step_fields = sizeof form_step_fields / sizeof form_step_fields[0];

/* --- life --- */

void form_begin(struct form *f, enum job_kind kind)
{
    f->kind = kind;
    f->fields = kind == JOB_KIND_STEPS ? form_job_fields : form_batch_fields;
    f->n_fields = kind == JOB_KIND_STEPS ? form_n_job_fields : form_n_batch_fields;
    str_clear(&f->text);
    str_append(&f->text, kind == JOB_KIND_STEPS ? NEW_JOB : NEW_SCRIPT);
    free(f->path);
    f->path = NULL;
}

void form_init(struct form *f, enum job_kind kind)
{
    *f = (struct form){.path = NULL};
    str_init(&f->text);
    form_begin(f, kind);
}

void form_fini(struct form *f)
{
    str_fini(&f->text);
    free(f->path);
    free(f->args);
    free(f->dir);
}

static bool has_dos_lines(const struct str *s)
{
    return strstr(s->s, "\r\n") != NULL;
}

static void drop_returns(struct str *s)
{
    size_t n = 0;
    for (size_t i = 0; i < s->len; i++)
        if (s->s[i] != '\r' || s->s[i + 1] != '\n')
            s->s[n++] = s->s[i];
    str_truncate(s, n);
}

int form_load(struct form *f, const char *path, bool *dos, struct errtext *err)
{
    struct script s;
    struct stat st;
    if (stat(path, &st) < 0)
        return err_set(err, -errno, "%s: %s", path, strerror(errno));
    if (!S_ISREG(st.st_mode)) /* a pipe would make the screens wait */
        return err_set(err, -EINVAL, "%s is no file", path);
    int rc = script_read_raw(path, &s, err);
    if (rc < 0)
        return rc;
    if (memchr(s.text.p, '\0', s.text.n)) {
        script_fini(&s);
        return err_set(err, -EINVAL, "%s is no text", path);
    }
    form_begin(f, str_ends(path, ".job") ? JOB_KIND_STEPS : JOB_KIND_BATCH);
    str_clear(&f->text);
    str_append_n(&f->text, (const char *)s.text.p, s.text.n);
    *dos = has_dos_lines(&f->text);
    if (*dos)
        drop_returns(&f->text);
    f->path = s.path ? xstrdup(s.path) : xstrdup(path);
    script_fini(&s);
    return 0;
}

/* --- fields --- */

static const struct opt *option_of(const struct form_field *field)
{
    return opt_find(&batch_opts, field->key, 0);
}

char *form_get(const struct form *f, const struct form_field *field, int step)
{
    if (f->kind == JOB_KIND_STEPS)
        return jobfile_get(f->text.s, field->of_step ? step : JOBFILE_JOB, field->key);
    if (field->id == FORM_ARGS)
        return f->args ? xstrdup(f->args) : NULL;
    if (field->id == FORM_COMMAND)
        return formcommand_get(f->text.s);
    struct directives d;
    directives_read(&d, &batch_opts, f->text.s);
    const struct directive *it = directives_find(&d, field->id);
    char *value = !it ? NULL : xstrdup(it->value ? it->value : field->kind == FIELD_SWITCH ? "yes" : "");
    directives_fini(&d);
    return value;
}

static void set_batch(struct form *f, const struct form_field *field, const char *value)
{
    if (field->id == FORM_ARGS) {
        free(f->args);
        f->args = str_is_empty(value) ? NULL : xstrdup(value);
    } else if (field->id == FORM_COMMAND) {
        formcommand_set(&f->text, value);
    } else if (str_is_empty(value)) {
        directives_remove(&f->text, &batch_opts, field->id);
    } else {
        directives_set(&f->text, &batch_opts, option_of(field), field->kind == FIELD_SWITCH ? "" : value);
    }
}

bool form_can_set(const struct form *f, const struct form_field *field)
{
    return field->id != FORM_COMMAND || formcommand_lines(f->text.s) < 2;
}

void form_set(struct form *f, const struct form_field *field, int step, const char *value)
{
    int at = field->of_step ? step : JOBFILE_JOB;
    if (f->kind != JOB_KIND_STEPS)
        set_batch(f, field, value);
    else if (str_is_empty(value))
        jobfile_remove(&f->text, at, field->key);
    else
        jobfile_set(&f->text, at, field->key, value, field->quoted);
}

/* --- the message --- */

static void take_directory(const struct form *f, struct jobopts *o)
{
    if (!f->dir)
        return;
    free(o->cwd);
    o->cwd = xstrdup(f->dir);
}

static const char *name_of(const struct form *f)
{
    return f->path ? f->path : f->kind == JOB_KIND_STEPS ? "job" : "script";
}

static int batch_message(const struct form *f, struct wall now, struct msg_submit *ret, struct errtext *err)
{
    struct batch b;
    struct strv args = {0};
    char *name = xstrdup(name_of(f));
    struct script s = {.text = {.n = f->text.len}, .name = name, .path = f->path};
    batch_init(&b);
    b.job.now = now;
    take_directory(f, &b.job);
    s.text.p = xmemdup(f->text.s, f->text.len + 1);
    int rc = script_check(&s.text, err);
    if (rc == 0 && words_split(f->args ? f->args : "", false, &args) < 0)
        rc = err_set(err, -EINVAL, "arguments: a quote is not closed");
    rc = rc ? rc : batch_take_header(&b, &s, err);
    rc = rc ? rc : jobopts_finish(&b.job, err);
    rc = rc ? rc : message_of_script(&b.job, &s, args.v, args.n, ret, err);
    free(s.text.p);
    free(name);
    strv_fini(&args);
    batch_fini(&b);
    return rc;
}

static int steps_message(const struct form *f, struct wall now, struct msg_submit *ret, struct errtext *err)
{
    struct batch b;
    struct jobfile file;
    int rc = jobfile_parse(name_of(f), f->text.s, now, &file, err);
    if (rc < 0)
        return rc;
    batch_init(&b);
    b.job.now = now;
    take_directory(f, &b.job);
    message_take_jobfile(&b.job, &file);
    rc = jobopts_finish(&b.job, err);
    rc = rc ? rc : message_of_jobfile(&b.job, &file, ret, err);
    jobfile_fini(&file);
    batch_fini(&b);
    return rc;
}

int form_message(const struct form *f, struct wall now, struct msg_submit *ret, struct errtext *err)
{
    return f->kind == JOB_KIND_STEPS ? steps_message(f, now, ret, err) : batch_message(f, now, ret, err);
}

/* --- drafts --- */

struct form_draft *form_draft_new(const struct form *f, struct wall now)
{
    struct form_draft *d = xcalloc(1, sizeof *d);
    form_init(&d->f, f->kind);
    str_clear(&d->f.text);
    str_append_n(&d->f.text, f->text.s, f->text.len);
    d->f.path = f->path ? xstrdup(f->path) : NULL;
    d->f.args = f->args ? xstrdup(f->args) : NULL;
    d->f.dir = f->dir ? xstrdup(f->dir) : NULL;
    d->now = now;
    d->rc = -EAGAIN;
    return d;
}

void form_draft_free(void *draft)
{
    struct form_draft *d = draft;
    if (!d)
        return;
    form_fini(&d->f);
    rec_fini(&msg_submit_rec, &d->m);
    free(d->missing.text);
    free(d);
}

static const struct form_field *field_of(const struct form_field *v, size_t n, const char *key)
{
    for (size_t i = 0; i < n; i++)
        if (str_eq(v[i].key, key))
            return &v[i];
    return NULL;
}

static void look_for_directory(struct form_draft *d)
{
    const char *key = d->f.kind == JOB_KIND_STEPS ? "workdir" : "chdir";
    const struct form_field *field = field_of(d->f.fields, d->f.n_fields, key);
    char *value = field ? form_get(&d->f, field, -1) : NULL;
    if (!str_is_empty(value) && d->m.req.workdir && access(d->m.req.workdir, X_OK) != 0) {
        d->missing.field = field;
        d->missing.step = -1;
        d->missing.text = xasprintf("%s: %s", d->m.req.workdir, strerror(errno));
    }
    free(value);
}

/* The first word of a command where it is a path; NULL: the shell looks for it on the node. */
static char *program_of(const char *command, const char *dir)
{
    size_t n = strcspn(command, " \t\n;|&<>()$`\"'");
    if (!memchr(command, '/', n) || command[0] == '~')
        return NULL;
    if (command[0] == '/' || !dir)
        return xstrndup(command, n);
    return xasprintf("%s/%.*s", dir, (int)n, command);
}

static void look_for_commands(struct form_draft *d)
{
    for (size_t i = 0; i < d->m.steps.n && !d->missing.field; i++) {
        const struct step *s = &d->m.steps.v[i];
        char *path = s->command ? program_of(s->command, s->workdir ? s->workdir : d->m.req.workdir) : NULL;
        if (path && access(path, X_OK) != 0) {
            d->missing.field = field_of(form_step_fields, form_n_step_fields, "command");
            d->missing.step = (int)i;
            d->missing.text = xasprintf("%s: %s", path, strerror(errno));
        }
        free(path);
    }
}

void form_draft_build(void *draft)
{
    struct form_draft *d = draft;
    d->rc = form_message(&d->f, d->now, &d->m, &d->err);
    if (d->rc < 0) {
        d->m = (struct msg_submit){.kind = 0};
        return;
    }
    look_for_directory(d);
    look_for_commands(d);
}
