/* saved_views.c - what a screen shows, kept under a name. */
#include "ui/frame/saved_views.h"

#include "ui/frame/outbox.h"
#include "ui/frame/remember.h"
#include "ui/frame/stack.h"
#include "ui/state/changes.h"
#include "ui/state/ui_state.h"

bool saved_view_keep(struct ui *ui, const char *name)
{
    struct view *v = ui_view(ui);
    if (!v->ops->table)
        return false;
    remember_view(ui, v);
    prefs_keep_named(ui->o.prefs, name, prefs_of(ui->o.prefs, v->ops->name));
    outbox_wish(ui, WISH_SAVE);
    return true;
}

bool saved_view_show(struct ui *ui, const char *name)
{
    const struct named_view *n = prefs_find_named(ui->o.prefs, name);
    for (size_t i = 0; n && i < ui->program.n_screens; i++)
        if (str_eq(ui->program.screens[i].ops->name, n->shows.view)) {
            stack_show_screen(ui, i);
            remember_apply(ui_view(ui), &n->shows);
            changes_everything(ui); /* mine or all users': the rows are others */
            return true;
        }
    return false;
}
