/* form.c - a submission that is being written. */
#include "ui/form/form.h"

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
#include "src/lang/lang.h"
#include "ui/form/form_command.h"
#include "ui/form/form_edit.h"
#include "ui/form/form_name.h"
#include "ui/form/form_program.h"

#define NEW_SCRIPT "#!/bin/bash\n\n"
#define NEW_JOB    "steps = (\n  { name = \"main\"; command = \"\"; }\n);\n"

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

void form_take_place(struct form *f, const struct ui *ui)
{
    f->far_env = ui_far_env(ui);
    xstrset(&f->dir, f->far_env ? strv_getenv(f->far_env, "HOME") : ui_cwd(ui));
}

void form_init(struct form *f, enum job_kind kind)
{
    *f = (struct form){.path = NULL};
    str_init(&f->text);
    form_begin(f, kind);
}

void form_init_edit(struct form *f, struct form_edit *take_edit)
{
    form_init(f, JOB_KIND_BATCH);
    str_clear(&f->text);
    f->edit = take_edit;
    f->fields = form_edit_fields;
    f->n_fields = form_n_edit_fields;
}

void form_fini(struct form *f)
{
    formedit_free(f->edit);
    str_fini(&f->text);
    free(f->path);
    free(f->args);
    free(f->dir);
}

bool form_is_new(const struct form *f)
{
    return str_eq(f->text.s, f->kind == JOB_KIND_STEPS ? NEW_JOB : NEW_SCRIPT);
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
        return err_set(err, -EINVAL, tr("%s is not a file"), path);
    int rc = script_read_raw(path, &s, err);
    if (rc < 0)
        return rc;
    if (memchr(s.text.p, '\0', s.text.n)) {
        script_fini(&s);
        return err_set(err, -EINVAL, tr("%s is not a text file"), path);
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

static const struct form_field *form_field_of(const struct form_field *v, size_t n, const char *key)
{
    for (size_t i = 0; i < n; i++)
        if (str_eq(v[i].key, key))
            return &v[i];
    return NULL;
}

const struct form_field *form_find_field(const struct form *f, const char *key)
{
    return form_field_of(f->fields, f->n_fields, key);
}

const struct form_field *form_find_step_field(const char *key)
{
    return form_field_of(form_step_fields, form_n_step_fields, key);
}

static const struct opt *option_of(const struct form_field *field)
{
    return opt_find(&batch_opts, field->key, 0);
}

bool form_shows(const struct form *f, const struct form_field *field)
{
    return !f->edit || formedit_shows(f->edit, field);
}

static char *form_get_edited(const struct form *f, const struct form_field *field)
{
    const char *value = formedit_value(f->edit, field);
    return *value ? xstrdup(value) : NULL;
}

/* What an option says without its value. */
static const char *form_bare_value(const struct form_field *field)
{
    return field->kind == FIELD_SWITCH ? "yes" : field->id == J_EXCLUSIVE ? "exclusive" : "";
}

char *form_get(const struct form *f, const struct form_field *field, int step)
{
    if (f->edit)
        return form_get_edited(f, field);
    if (f->kind == JOB_KIND_STEPS)
        return jobfile_get(f->text.s, field->of_step ? step : JOBFILE_JOB, field->key);
    if (field->id == FORM_ARGS)
        return f->args ? xstrdup(f->args) : NULL;
    if (field->id == FORM_COMMAND)
        return formcommand_get(f->text.s);
    if (field->id == FORM_SETUP)
        return formcommand_get_setup(f->text.s);
    struct directives d;
    directives_read(&d, &batch_opts, f->text.s);
    const struct directive *it = directives_find(&d, field->id);
    char *value = !it ? NULL : xstrdup(it->value ? it->value : form_bare_value(field));
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
    } else if (field->id == FORM_SETUP) {
        formcommand_set_setup(&f->text, value);
    } else if (str_is_empty(value)) {
        directives_remove(&f->text, &batch_opts, field->id);
    } else {
        directives_set(&f->text, &batch_opts, option_of(field), field->kind == FIELD_SWITCH ? "" : value);
    }
}

static bool batch_says(const struct form *f, const struct form_field *field, const struct directives *d)
{
    if (field->id == FORM_ARGS)
        return f->args || f->path; /* a script that was opened may want some */
    if (field->id == FORM_SETUP)
        return formcommand_setup_lines(f->text.s) > 0;
    return field->id == FORM_COMMAND || directives_find(d, field->id);
}

void form_given(const struct form *f, const struct form_field *fields, size_t n, int step, bool *ret)
{
    struct directives d = {0};
    for (size_t i = 0; f->edit && i < n; i++)
        ret[i] = *formedit_value(f->edit, &fields[i]) || formedit_is_changed(f->edit, &fields[i]);
    if (f->edit)
        return;
    if (f->kind != JOB_KIND_STEPS)
        directives_read(&d, &batch_opts, f->text.s);
    for (size_t i = 0; i < n; i++) {
        char *value = f->kind == JOB_KIND_STEPS ? form_get(f, &fields[i], step) : NULL;
        ret[i] = value || (f->kind != JOB_KIND_STEPS && batch_says(f, &fields[i], &d));
        free(value);
    }
    directives_fini(&d);
}

bool form_can_set(const struct form *f, const struct form_field *field)
{
    if (field->id == FORM_SETUP)
        return formcommand_setup_lines(f->text.s) < 2;
    return field->id != FORM_COMMAND || formcommand_lines(f->text.s) < 2;
}

void form_set(struct form *f, const struct form_field *field, int step, const char *value)
{
    int at = field->of_step ? step : JOBFILE_JOB;
    if (f->edit)
        formedit_set(f->edit, field, value);
    else if (f->kind != JOB_KIND_STEPS)
        set_batch(f, field, value);
    else if (str_is_empty(value))
        jobfile_remove(&f->text, at, field->key);
    else
        jobfile_set(&f->text, at, field->key, value, field->quoted);
}

char *form_default_name(const struct form *f)
{
    bool steps = f->kind == JOB_KIND_STEPS;
    char *name;
    if (f->path) {
        name = formname_of_file(f->path);
        if (steps && str_ends(name, ".job"))
            name[strlen(name) - strlen(".job")] = '\0';
        return name;
    }
    char *command = steps ? jobfile_get(f->text.s, 0, "command") : NULL;
    name = formname_of_command(command ? command : steps ? "" : f->text.s);
    free(command);
    return name ? name : xstrdup(steps ? "job" : "sbatch");
}

/* --- the message --- */

static void take_directory(const struct form *f, struct jobopts *o)
{
    o->far_env = f->far_env;
    if (f->dir || f->far_env) /* a directory of this machine is none of another one */
        xstrset(&o->cwd, f->dir);
}

/* One that the text gives stays. */
static void form_take_name(const struct form *f, struct jobopts *o)
{
    char *own = f->kind == JOB_KIND_STEPS ? jobfile_get(f->text.s, JOBFILE_JOB, "name")
                : o->req.name             ? xstrdup(o->req.name)
                                          : NULL;
    if (!own) {
        free(o->req.name);
        o->req.name = form_default_name(f);
    }
    free(own);
}

static const char *form_name_of(const struct form *f)
{
    return f->path ? f->path : f->kind == JOB_KIND_STEPS ? "job" : "script";
}

static int batch_message(const struct form *f, struct wall now, struct msg_submit *ret, struct errtext *err)
{
    struct batch b;
    struct strv args = {0};
    char *name = xstrdup(form_name_of(f));
    struct script s = {.text = {.n = f->text.len}, .name = name, .path = f->path};
    batch_init(&b);
    b.job.now = now;
    take_directory(f, &b.job);
    s.text.p = xmemdup(f->text.s, f->text.len + 1);
    int rc = script_check(&s.text, err);
    if (rc == 0 && words_split(f->args ? f->args : "", false, &args) < 0)
        rc = err_set(err, -EINVAL, tr("arguments: a quote is not closed"));
    rc = rc ? rc : batch_take_header(&b, &s, err);
    rc = rc ? rc : jobopts_finish(&b.job, err);
    form_take_name(f, &b.job);
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
    int rc = jobfile_parse(form_name_of(f), f->text.s, now, &file, err);
    if (rc < 0)
        return rc;
    batch_init(&b);
    b.job.now = now;
    take_directory(f, &b.job);
    message_take_jobfile(&b.job, &file);
    rc = jobopts_finish(&b.job, err);
    form_take_name(f, &b.job);
    rc = rc ? rc : message_of_jobfile(&b.job, &file, ret, err);
    jobfile_fini(&file);
    batch_fini(&b);
    return rc;
}

int form_message(const struct form *f, struct wall now, struct msg_submit *ret, struct errtext *err)
{
    return f->kind == JOB_KIND_STEPS ? steps_message(f, now, ret, err) : batch_message(f, now, ret, err);
}

void form_hints_fini(struct form_hints *h)
{
    vec_for_each (h, i) {
        free(h->v[i].text);
        free(h->v[i].fix);
        free(h->v[i].fix_shown);
    }
    vec_fini(h);
}

/* --- drafts --- */

struct form_draft *form_draft_new(const struct form *f, struct wall now)
{
    struct form_draft *d = xcalloc(1, sizeof *d);
    if (f->edit)
        form_init_edit(&d->f, formedit_copy(f->edit));
    else
        form_init(&d->f, f->kind);
    str_clear(&d->f.text);
    str_append_n(&d->f.text, f->text.s, f->text.len);
    d->f.path = f->path ? xstrdup(f->path) : NULL;
    d->f.args = f->args ? xstrdup(f->args) : NULL;
    d->f.dir = f->dir ? xstrdup(f->dir) : NULL;
    d->f.far_env = f->far_env;
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
    form_hints_fini(&d->files);
    free(d);
}

/* Of the field: what is doubtful about its value, with a suggestion. */
static void add_doubt(struct form_draft *d, const struct form_field *field, int step,
                      struct program_doubt *take_doubt)
{
    char *value = take_doubt->text ? form_get(&d->f, field, step) : NULL;
    const char *fix = take_doubt->fix, *word = take_doubt->word;
    if (take_doubt->text)
        vec_push(&d->files, (struct form_hint){
                                .field = field,
                                .step = step,
                                .kind = HINT_WARN,
                                .text = xstrdup(take_doubt->text),
                                .fix = !fix || !value ? NULL
                                       : word         ? formprogram_replace(value, word, fix)
                                                      : xstrdup(fix),
                                .fix_shown = fix ? xstrdup(fix) : NULL,
                            });
    free(value);
    programdoubt_fini(take_doubt);
}

static void look_for_directory(struct form_draft *d)
{
    const struct form_field *field =
        form_find_field(&d->f, d->f.kind == JOB_KIND_STEPS ? "workdir" : "chdir");
    char *value = form_get(&d->f, field, -1);
    struct program_doubt doubt = {0};
    if (!str_is_empty(value) && d->m.req.workdir)
        formprogram_check_dir(d->m.req.workdir, &doubt);
    add_doubt(d, field, -1, &doubt);
    free(value);
}

static void look_for_commands(struct form_draft *d)
{
    struct program_doubt doubt = {0};
    if (d->f.kind == JOB_KIND_BATCH) {
        formprogram_check(d->f.text.s, d->m.req.workdir, &doubt);
        add_doubt(d, form_find_field(&d->f, "command"), -1, &doubt);
    }
    for (size_t i = 0; i < d->m.steps.n; i++) {
        const struct step *s = &d->m.steps.v[i];
        if (s->command)
            formprogram_check(s->command, s->workdir ? s->workdir : d->m.req.workdir, &doubt);
        add_doubt(d, form_find_step_field("command"), (int)i, &doubt);
    }
}

char *form_one_line(const char *text)
{
    struct str s = STR_INIT;
    for (const char *end; (end = strchr(text, '\n')); text = end + 1) {
        str_append_n(&s, text, (size_t)(end - text));
        str_append(&s, "; ");
    }
    str_append(&s, text);
    return str_take(&s);
}

void form_draft_build(void *draft)
{
    struct form_draft *d = draft;
    if (d->f.edit) {
        formedit_request(d->f.edit, d->now, &d->m.req, &d->files);
        d->rc = 0;
        return;
    }
    d->rc = form_message(&d->f, d->now, &d->m, &d->err);
    if (d->rc < 0) {
        char *line = form_one_line(d->err.s);
        err_set(&d->err, d->rc, "%s", line);
        free(line);
        d->m = (struct msg_submit){.kind = 0};
        return;
    }
    look_for_directory(d);
    if (!d->files.n) /* what is in a directory that is not there cannot be said */
        look_for_commands(d);
}
