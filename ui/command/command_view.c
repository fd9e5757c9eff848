/* command_view.c - the commands on the current screen. */
#include <stdlib.h>

#include "src/base/xalloc.h"
#include "src/lang/lang.h"
#include "ui/command/commands.h"
#include "ui/form/form_view.h"
#include "ui/frame/outbox.h"
#include "ui/frame/remember.h"
#include "ui/frame/saved_views.h"
#include "ui/table/table.h"
#include "ui/view/export_list.h"

static struct table *must_have_table(struct ui *ui)
{
    struct view *v = ui_view(ui);
    struct table *t = v->ops->table ? v->ops->table(v) : NULL;
    if (!t)
        complain(ui, tr("there is no table on this screen"));
    return t;
}

void run_filter(struct ui *ui, const struct strv *args, const char *rest)
{
    (void)args;
    struct table *t = must_have_table(ui);
    if (t)
        table_set_filter(t, rest);
}

void run_mark(struct ui *ui, const struct strv *args, const char *rest)
{
    struct table *t = must_have_table(ui);
    if (t && !args->n)
        complain(ui, tr("give a filter: :mark user:ann state:wait"));
    else if (t)
        ui_toast(ui, ROLE_NORMAL, tr("%zu marked"), table_mark_matching(t, rest));
}

void run_unmark(struct ui *ui, const struct strv *args, const char *rest)
{
    (void)args;
    (void)rest;
    struct table *t = must_have_table(ui);
    if (t)
        list_unmark_all(&t->list);
}

static int find_column(struct ui *ui, const struct table *t, const char *name)
{
    int i = table_find_column(t, name);
    if (i < 0)
        ui_toast(ui, ROLE_ERROR, tr("there is no column '%s' here"), name);
    return i;
}

void run_sort(struct ui *ui, const struct strv *args, const char *rest)
{
    (void)rest;
    struct table *t = must_have_table(ui);
    int i = t && args->n ? find_column(ui, t, args->v[0]) : -1;
    if (t && (i >= 0 || !args->n))
        table_sort(t, i, args->n > 1 && (str_starts(args->v[1], "d") || str_starts(args->v[1], "r")));
}

void run_columns(struct ui *ui, const struct strv *args, const char *rest)
{
    (void)rest;
    struct table *t = must_have_table(ui);
    for (size_t i = 0; t && i < args->n; i++)
        if (find_column(ui, t, args->v[i]) < 0)
            return;
    for (size_t i = 0; t && i < t->n_cols; i++)
        table_show_column(t, i, !args->n && !(t->cols[i].flags & COLUMN_HIDDEN));
    for (size_t i = 0; t && i < args->n; i++)
        table_show_column(t, (size_t)table_find_column(t, args->v[i]), true);
}

/* --- views with a name --- */

void run_save(struct ui *ui, const struct strv *args, const char *rest)
{
    (void)rest;
    if (args->n != 1)
        complain(ui, tr("give a name of one word: :save mine"));
    else if (saved_view_keep(ui, args->v[0])) {
        outbox_wish(ui, WISH_KEEP);
        ui_toast(ui, ROLE_GOOD, tr("saved: :view %s shows it again"), args->v[0]);
    } else
        complain(ui, tr("there is no table on this screen"));
}

void run_view(struct ui *ui, const struct strv *args, const char *rest)
{
    if (!args->n)
        run_views(ui, args, rest);
    else if (!saved_view_show(ui, args->v[0]))
        ui_toast(ui, ROLE_ERROR, tr("there is no view %s; :save %s saves the present one"), args->v[0],
                 args->v[0]);
}

void run_forget(struct ui *ui, const struct strv *args, const char *rest)
{
    (void)rest;
    if (args->n && prefs_drop_named(ui->o.prefs, args->v[0])) {
        outbox_wish(ui, WISH_SAVE | WISH_KEEP);
        ui_toast(ui, ROLE_NORMAL, tr("forgotten: %s"), args->v[0]);
    } else {
        complain(ui, tr("there is no view of that name"));
    }
}

static void view_chosen(struct ui *ui, struct dialog *d, enum dialog_outcome outcome, void *arg)
{
    const struct strv *names = arg;
    if (outcome == DIALOG_YES)
        saved_view_show(ui, names->v[dialog_choice(d)]);
}

static void command_names_free(void *p)
{
    strv_fini(p);
    free(p);
}

void run_views(struct ui *ui, const struct strv *args, const char *rest)
{
    (void)args;
    (void)rest;
    const struct prefs *p = ui->o.prefs;
    if (!p->named.n) {
        ui_toast(ui, ROLE_NORMAL, tr("no saved views; :save NAME saves the present one"));
        return;
    }
    struct dialog *d = dialog_new(DIALOG_MENU, tr("views"));
    struct strv *names = xcalloc(1, sizeof *names);
    vec_for_each (&p->named, i) {
        struct str line = STR_INIT;
        str_appendf(&line, "%-16s ", p->named.v[i].name);
        remember_words(&p->named.v[i].shows, &line);
        strv_push_take(&d->items, str_take(&line));
        strv_push(names, p->named.v[i].name);
    }
    d->verb = xstrdup(tr("show"));
    ui_take_dialog(ui, d, view_chosen, names, command_names_free);
}

/* --- the screens --- */

void run_submit(struct ui *ui, const struct strv *args, const char *rest)
{
    (void)args;
    submit_open(ui, *rest ? rest : NULL);
}

void run_theme(struct ui *ui, const struct strv *args, const char *rest)
{
    (void)rest;
    free(ui->o.prefs->theme);
    ui->o.prefs->theme = args->n ? xstrdup(args->v[0]) : NULL;
    outbox_wish(ui, WISH_THEME | WISH_SAVE | WISH_KEEP);
}

void run_export(struct ui *ui, const struct strv *args, const char *rest)
{
    (void)args;
    struct table *t = must_have_table(ui);
    if (t)
        export_list(ui, t, rest, 0);
}

void run_log(struct ui *ui, const struct strv *args, const char *rest)
{
    (void)args;
    (void)rest;
    frame_act(ui, ACTION_LOG);
}

void run_settings(struct ui *ui, const struct strv *args, const char *rest)
{
    (void)args;
    (void)rest;
    frame_act(ui, ACTION_SETTINGS);
}

void run_mouse(struct ui *ui, const struct strv *args, const char *rest)
{
    (void)args;
    (void)rest;
    frame_act(ui, ACTION_MOUSE);
}

void run_freeze(struct ui *ui, const struct strv *args, const char *rest)
{
    (void)args;
    (void)rest;
    frame_act(ui, ACTION_FREEZE);
}

void run_help(struct ui *ui, const struct strv *args, const char *rest)
{
    (void)args;
    (void)rest;
    frame_act(ui, ACTION_HELP);
}

void run_quit(struct ui *ui, const struct strv *args, const char *rest)
{
    (void)args;
    (void)rest;
    ui_quit(ui);
}
