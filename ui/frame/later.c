/* later.c - an action that waits some seconds before it is sent, so that it can be undone.
 *
 * It is sent when its time is up, or earlier if it can no longer be undone: the program ends, the terminal
 * is gone or is given to another program. It is never sent much later: after the program was stopped or the
 * machine slept, the jobs may be other jobs than the user saw, so the action is dropped and the user is
 * told that nothing was done.
 */
#include "ui/frame/later.h"

#include <stdlib.h>

#include "src/base/xalloc.h"
#include "src/lang/lang.h"
#include "ui/state/ui_state.h"

#define TOO_LATE_MS 10000

struct delayed_action {
    char *what;
    ui_later_fn *fn;
    void *arg;
    void (*free_arg)(void *);
    struct mono until;
};

static void later_free(struct delayed_action *l)
{
    if (l->free_arg)
        l->free_arg(l->arg);
    free(l->what);
    free(l);
}

void later_drop(struct ui *ui)
{
    if (ui->later)
        later_free(ui->later);
    ui->later = NULL;
    ui->dirty = true;
}

/* A dialog, because the next key would remove a line at the foot before the user has read it. */
static void later_tell_unsent(struct ui *ui, const char *why)
{
    struct dialog *d = dialog_new(DIALOG_TEXT, tr("nothing was sent"));
    d->danger = true;
    lines_addf(&d->body.lines, ROLE_STRONG, "%s", ui->later->what);
    lines_add(&d->body.lines);
    lines_addf(&d->body.lines, ROLE_NORMAL, "%s", why);
    ui_take_dialog(ui, d, NULL, NULL, NULL);
    later_drop(ui);
}

void later_run(struct ui *ui)
{
    struct delayed_action *l = ui->later;
    if (!l)
        return;
    if (!ui->session.online) {
        later_tell_unsent(ui, tr("There is no connection to the controller."));
        return;
    }
    ui->later = NULL; /* what it does may be something for later too */
    l->fn(ui, l->arg);
    later_free(l);
    ui->dirty = true;
}

void ui_later(struct ui *ui, const char *what, int ms, ui_later_fn *fn, void *arg, void (*free_arg)(void *))
{
    later_run(ui);
    later_drop(ui);
    ui->later = xcalloc(1, sizeof *ui->later);
    *ui->later = (struct delayed_action){.what = xstrdup(what),
                                         .fn = fn,
                                         .arg = arg,
                                         .free_arg = free_arg,
                                         .until = mono_add_ms(ui->mono, ms)};
}

void ui_later_instead(struct ui *ui, const char *what, int ms, ui_later_fn *fn, void *arg,
                      void (*free_arg)(void *))
{
    if (ui->later && ui->later->fn == fn)
        later_drop(ui);
    ui_later(ui, what, ms, fn, arg, free_arg);
}

const void *ui_later_arg(const struct ui *ui, ui_later_fn *fn)
{
    return ui->later && ui->later->fn == fn ? ui->later->arg : NULL;
}

void later_due(struct ui *ui)
{
    if (!ui->later || ui->mono.ns < ui->later->until.ns)
        return;
    if (ui->mono.ns - ui->later->until.ns <= TOO_LATE_MS * NS_PER_MS) {
        later_run(ui);
        return;
    }
    later_tell_unsent(ui, tr("Its time passed while the program was stopped."));
}

struct mono later_until(const struct ui *ui)
{
    return ui->later ? ui->later->until : (struct mono){0};
}

bool later_undo(struct ui *ui)
{
    if (!ui->later)
        return false;
    ui_toast(ui, ROLE_GOOD, tr("undone: %s"), ui->later->what);
    later_drop(ui);
    return true;
}

void later_text(const struct ui *ui, enum action undo, struct rich *r)
{
    int64_t s = (ui->later->until.ns - ui->mono.ns + NS_PER_S - 1) / NS_PER_S;
    rich_addf(r, ROLE_WARN, tr("%s in %lld s   "), ui->later->what, (long long)(s > 0 ? s : 0));
    struct str key = STR_INIT;
    keymap_format(&ui->o.keys, undo, true, &key);
    rich_add(r, ROLE_KEY, key.s);
    rich_add(r, ROLE_NORMAL, tr(" undoes it"));
    str_fini(&key);
}
