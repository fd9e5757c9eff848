/* menu.c - all that can be done in the view on top, as a menu, from the key table. */
#include "ui/app/menu.h"

#include <stdlib.h>

#include "src/base/lang.h"
#include "src/base/utf8.h"
#include "src/base/xalloc.h"
#include "ui/app/offered.h"
#include "ui/frame/stack.h"
#include "ui/frame/ui_state.h"

#define KEY_WIDTH 7

struct action_menu {
    enum action actions[ACTION_N];
    size_t n;
};

static void menu_chosen(struct ui *ui, struct dialog *d, enum dialog_outcome outcome, void *arg)
{
    const struct action_menu *m = arg;
    struct view *v = ui_view(ui);
    struct input none = input_key(0);
    if (outcome != DIALOG_YES)
        return;
    unsigned did = v->ops->act(v, m->actions[dialog_choice(d)], &none);
    if (did & DID_HANDLE)
        stack_did(ui, v, did);
    else
        frame_act(ui, m->actions[dialog_choice(d)]);
}

static void menu_add_item(const struct ui *ui, struct dialog *d, enum action action)
{
    struct str line = STR_INIT;
    keymap_format(&ui->o.keys, action, true, &line);
    for (int w = cell_width(line.s); w < KEY_WIDTH; w++)
        str_append_char(&line, ' ');
    str_append(&line, tr(action_info(action)->help));
    strv_push_take(&d->items, str_take(&line));
}

static void menu_add_scope(const struct ui *ui, struct dialog *d, struct action_menu *m, enum scope scope)
{
    for (int k = 1; k < ACTION_N; k++)
        if (action_info((enum action)k)->scope == scope && offered(ui, (enum action)k)) {
            menu_add_item(ui, d, (enum action)k);
            m->actions[m->n++] = (enum action)k;
        }
}

/* What the actions are for: the marked rows, or the one under the cursor. Heap. */
static char *menu_title(const struct ui *ui)
{
    struct view *v = ui_view(ui);
    struct table *t = v->ops->table ? v->ops->table(v) : NULL;
    size_t marks = t ? list_n_marks(&t->list) : 0;
    char *row = t && !marks ? table_current_name(t) : NULL;
    char *title = marks > 1 ? xasprintf(tr("%zu marked rows"), marks)
                  : row     ? row
                            : xstrdup(tr("all actions here"));
    if (title != row)
        free(row);
    return title;
}

/* Keys that only move are left out. */
static struct dialog *menu_make(struct ui *ui)
{
    const struct view_ops *ops = ui_view(ui)->ops;
    struct action_menu *m = xcalloc(1, sizeof *m);
    char *title = menu_title(ui);
    struct dialog *d = dialog_new(DIALOG_MENU, title);
    for (size_t s = 0; s < ops->n_scopes; s++)
        if (ops->scopes[s] != SCOPE_MOVE)
            menu_add_scope(ui, d, m, ops->scopes[s]);
    if (ops->pane)
        menu_add_scope(ui, d, m, SCOPE_PANE);
    free(title);
    d->verb = xstrdup(tr("choose"));
    ui_take_dialog(ui, d, menu_chosen, m, free);
    return d;
}

void menu_open(struct ui *ui)
{
    menu_make(ui);
}

void menu_open_at(struct ui *ui, int y, int x)
{
    dialog_place(menu_make(ui), y, x);
}
