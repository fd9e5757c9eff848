/* command_windows.c - :window and :windows. */
#include <string.h>

#include "src/base/words.h"
#include "src/lang/lang.h"
#include "ui/command/command_windows.h"
#include "ui/command/commands.h"
#include "ui/dialogs/window_edit.h"
#include "ui/dialogs/windows.h"

#define NEAR 2 /* changed letters at most in a misspelt name */

static void command_windows_add(struct ui *ui, const struct strv *args, const char *rest)
{
    if (!args->n)
        windowline_make(ui, NULL, NULL);
    else if (strchr(args->v[0], '=')) /* nodes= may name the nodes too */
        windowline_make(ui, NULL, rest);
    else if (nodes_are_there(ui, args->v[0]))
        windowline_make(ui, args->v[0], behind(args, rest));
}

void run_window(struct ui *ui, const struct strv *args, const char *rest)
{
    if (!args->n)
        act_in_view(ui, ACTION_WINDOWS, tr("give nodes: :window n01 start=18:00 duration=2h reason=fans"));
    else
        command_windows_add(ui, args, rest);
}

static const struct window *command_windows_find(struct ui *ui, const char *name)
{
    const struct window *w = model_get_window(ui->m, name);
    const char *near = NULL;
    for (size_t i = 0; i < ui->m->windows.n && !near; i++)
        if (words_distance(name, ui->m->windows.v[i].name) <= NEAR)
            near = ui->m->windows.v[i].name;
    if (!w && near)
        ui_toast(ui, ROLE_ERROR, tr("there is no window %s; did you mean %s?"), name, near);
    else if (!w)
        ui_toast(ui, ROLE_ERROR, tr("there is no window %s%s"), name,
                 ui->m->windows.n ? tr("; :windows lists them") : tr("; no window is defined"));
    return w;
}

static void command_windows_show(struct ui *ui, const struct strv *args, const char *rest)
{
    (void)rest;
    const struct window *w = args->n ? command_windows_find(ui, args->v[0]) : NULL;
    if (w)
        windows_show(ui, w);
    else if (!args->n)
        windows_open(ui, NULL);
}

static void change(struct ui *ui, const struct strv *args, const char *rest)
{
    const struct window *w = args->n ? command_windows_find(ui, args->v[0]) : NULL;
    if (w)
        windowline_change(ui, w, behind(args, rest));
    else if (!args->n)
        complain(ui, tr("give a window and a change: :windows change NAME end=now+2hours"));
}

static void remove_some(struct ui *ui, const struct strv *args, const char *rest)
{
    (void)rest;
    if (!args->n)
        complain(ui, tr("give windows: :windows delete NAME..."));
    for (size_t i = 0; i < args->n; i++)
        if (!command_windows_find(ui, args->v[i]))
            return;
    windowline_delete(ui, args);
}

static const struct {
    const char *name;
    command_fn *run;
} verbs[] = {
#define X(name_, help, run_) {.name = name_, .run = run_},
    WINDOW_VERBS(X)
#undef X
};

void run_windows(struct ui *ui, const struct strv *args, const char *rest)
{
    for (size_t i = 0; args->n && i < sizeof verbs / sizeof verbs[0]; i++)
        if (str_eq(args->v[0], verbs[i].name)) {
            const char *further = behind(args, rest);
            struct strv others = strv_split(further, " ");
            verbs[i].run(ui, &others, further);
            strv_fini(&others);
            return;
        }
    command_windows_show(ui, args, rest);
}
