/* form_file.c - scripts, job files and templates: opened and saved beside the screens. */
#include "ui/form/form_file.h"

#include <dirent.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "src/base/xalloc.h"
#include "src/lang/lang.h"
#include "ui/state/prefs.h"

/* --- opening --- */

struct loading {
    struct form f;
    char *path;
    bool dos, loaded;
    struct errtext err;
    uint64_t dialog; /* where the path was typed; 0: nowhere */
    form_load_fn *load;
};

static void loading_free(void *arg)
{
    struct loading *w = arg;
    form_fini(&w->f);
    free(w->path);
    free(w);
}

static void form_file_load(void *arg)
{
    struct loading *w = arg;
    w->loaded = form_load(&w->f, w->path, &w->dos, &w->err) >= 0;
}

static void form_file_loaded(struct ui *ui, struct view *owner, void *arg)
{
    struct loading *w = arg;
    if (!w->loaded) {
        if (!ui_refuse_dialog(ui, w->dialog, "%s", w->err.s))
            ui_toast(ui, ROLE_ERROR, "%s", w->err.s);
        return;
    }
    ui_drop_dialog(ui, w->dialog);
    if (w->dos)
        ui_toast(ui, ROLE_WARN, tr("the file has DOS line ends; they are converted"));
    struct form f = w->f;
    form_init(&w->f, JOB_KIND_BATCH);
    w->load(ui, owner, &f);
    ui_changed(ui);
}

/* Expands the home directory as a shell does: "~/job.sh". */
static char *expanded(const char *path)
{
    const char *home = str_starts(path, "~/") ? getenv("HOME") : NULL;
    return home ? xasprintf("%s%s", home, path + 1) : xstrdup(path);
}

void form_file_open_path(struct ui *ui, struct view *owner, const char *path, uint64_t dialog,
                         form_load_fn *fn)
{
    struct loading *w = xcalloc(1, sizeof *w);
    *w = (struct loading){.path = expanded(path), .dialog = dialog, .load = fn};
    form_init(&w->f, JOB_KIND_BATCH);
    form_take_place(&w->f, ui);
    ui_aside(ui, owner, form_file_load, form_file_loaded, w, loading_free);
}

/* --- saving a template --- */

static char *template_dir(const struct ui *ui)
{
    const char *dir = ui_config_dir(ui);
    return dir ? xasprintf("%s/templates", dir) : NULL;
}

struct template_saving {
    struct str text;
    char *dir, *path;
    uint64_t dialog; /* where the name was typed */
    bool steps;
    int rc;
    struct errtext err;
};

static void form_file_saving_free(void *p)
{
    struct template_saving *s = p;
    str_fini(&s->text);
    free(s->dir);
    free(s->path);
    free(s);
}

/* The template that was there stays until the new one is written. */
static void save(void *arg)
{
    struct template_saving *s = arg;
    char real[PATH_MAX];
    s->rc = prefs_write(s->text.s, realpath(s->path, real) ? real : s->path, &s->err);
}

static void saved(struct ui *ui, struct view *owner, void *arg)
{
    (void)owner;
    const struct template_saving *s = arg;
    if (s->rc == 0) {
        ui_drop_dialog(ui, s->dialog);
        ui_toast(ui, ROLE_GOOD, tr("saved as %s"), s->path);
    } else if (!ui_refuse_dialog(ui, s->dialog, "%s", s->err.s)) {
        ui_toast(ui, ROLE_ERROR, "%s", s->err.s);
    }
}

static void save_named(struct ui *ui, struct dialog *d, enum dialog_outcome outcome, void *arg)
{
    const struct template_saving *asked = arg;
    if (outcome != DIALOG_YES)
        return;
    uint64_t dialog = ui_keep_dialog(ui);
    if (strchr(d->edit.text.s, '/')) {
        ui_refuse_dialog(ui, dialog,
                         tr("type a name without a slash: templates have a directory of their own"));
        return;
    }
    struct template_saving *s = xcalloc(1, sizeof *s);
    *s = (struct template_saving){
        .dialog = dialog,
        .dir = xstrdup(asked->dir),
        .path = xasprintf("%s/%s%s", asked->dir, d->edit.text.s, asked->steps ? ".job" : ".sh")};
    str_init(&s->text);
    str_append_n(&s->text, asked->text.s, asked->text.len);
    ui_aside(ui, NULL, save, saved, s, form_file_saving_free);
}

void form_file_save_template(struct view *v, const struct form *f)
{
    char *dir = template_dir(v->ui);
    if (!dir) {
        ui_toast(v->ui, ROLE_WARN, tr("no directory for templates"));
        return;
    }
    struct template_saving *s = xcalloc(1, sizeof *s);
    *s = (struct template_saving){.dir = dir, .steps = f->kind == JOB_KIND_STEPS};
    str_init(&s->text);
    str_append(&s->text, f->text.s);
    struct dialog *d = dialog_new(DIALOG_PROMPT, tr("save as a template"));
    lines_addf(&d->body.lines, ROLE_DIM,
               tr("Name of the template (F3 opens it). An existing one is replaced."));
    d->verb = xstrdup(tr("save"));
    ui_take_dialog(v->ui, d, save_named, s, form_file_saving_free);
}

/* --- the menu of what can be opened --- */

struct opening {
    struct view *v;
    form_load_fn *load;
    char *dir;         /* of templates; NULL: nowhere */
    struct strv names; /* of them */
};

static void opening_free(void *p)
{
    struct opening *o = p;
    free(o->dir);
    strv_fini(&o->names);
    free(o);
}

static int form_file_by_name(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static void list_templates(void *arg)
{
    struct opening *o = arg;
    DIR *d = o->dir ? opendir(o->dir) : NULL;
    for (struct dirent *e; d && (e = readdir(d));)
        if (str_ends(e->d_name, ".sh") || str_ends(e->d_name, ".job"))
            strv_push(&o->names, e->d_name);
    if (d)
        closedir(d);
    if (o->names.n > 1)
        qsort(o->names.v, o->names.n, sizeof *o->names.v, form_file_by_name);
}

static struct opening *opening_copy(const struct opening *from)
{
    struct opening *o = xcalloc(1, sizeof *o);
    *o = (struct opening){
        .v = from->v, .load = from->load, .dir = xstrdup(from->dir), .names = strv_copy(&from->names)};
    return o;
}

static void path_typed(struct ui *ui, struct dialog *d, enum dialog_outcome outcome, void *arg)
{
    const struct opening *o = arg;
    if (outcome == DIALOG_YES)
        form_file_open_path(ui, o->v, d->edit.text.s, ui_keep_dialog(ui), o->load);
}

static void ask_path(struct ui *ui, const struct opening *from)
{
    struct dialog *d = dialog_new(DIALOG_PROMPT, tr("open a script or a job file"));
    lines_addf(&d->body.lines, ROLE_DIM, tr("Path of the file. The file itself is not changed."));
    d->verb = xstrdup(tr("open"));
    ui_take_dialog(ui, d, path_typed, opening_copy(from), opening_free);
}

static void form_file_picked(struct ui *ui, struct dialog *d, enum dialog_outcome outcome, void *arg)
{
    const struct opening *o = arg;
    size_t i = dialog_choice(d);
    if (outcome != DIALOG_YES)
        return;
    if (i == 0) {
        ask_path(ui, o);
        return;
    }
    char *path = xasprintf("%s/%s", o->dir, o->names.v[i - 1]);
    form_file_open_path(ui, o->v, path, 0, o->load);
    free(path);
}

static void listed(struct ui *ui, struct view *owner, void *arg)
{
    (void)owner;
    const struct opening *o = arg;
    struct dialog *menu = dialog_new(DIALOG_MENU, tr("open"));
    strv_push(&menu->items, tr("a script or job file ..."));
    for (size_t i = 0; i < o->names.n; i++)
        strv_push_take(&menu->items, xasprintf(tr("template %s"), o->names.v[i]));
    menu->verb = xstrdup(tr("open"));
    ui_take_dialog(ui, menu, form_file_picked, opening_copy(o), opening_free);
}

void form_file_open_menu(struct view *v, form_load_fn *fn)
{
    struct opening *o = xcalloc(1, sizeof *o);
    *o = (struct opening){.v = v, .load = fn, .dir = template_dir(v->ui)};
    ui_aside(v->ui, v, list_templates, listed, o, opening_free);
}
