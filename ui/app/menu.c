/* menu.c - all that can be done in the view on top, as a menu, from the key table. */
#include "ui/app/menu.h"

#include <stdlib.h>

#include "src/base/utf8.h"
#include "src/base/xalloc.h"
#include "src/lang/lang.h"
#include "ui/app/inputs.h"
#include "ui/app/offered.h"
#include "ui/command/command_user.h"
#include "ui/frame/stack.h"
#include "ui/state/ui_state.h"

#define KEY_WIDTH 7

struct action_menu {
    enum action actions[ACTION_N];
    size_t n;
    size_t commands_at;   /* the item from which on those of the user stand among them */
    struct strv commands; /* their names: ui.cfg may be read again meanwhile */
};

static void action_menu_free(void *p)
{
    struct action_menu *m = p;
    strv_fini(&m->commands);
    free(m);
}

static void menu_chosen(struct ui *ui, struct dialog *d, enum dialog_outcome outcome, void *arg)
{
    const struct action_menu *m = arg;
    struct view *v = ui_view(ui);
    struct input none = input_key(0);
    size_t i = dialog_choice(d);
    if (outcome != DIALOG_YES)
        return;
    if (i >= m->commands_at && i - m->commands_at < m->commands.n) {
        const struct user_command *c = user_command_find(ui->o.commands, m->commands.v[i - m->commands_at]);
        if (c)
            command_user_run(ui, c);
        return;
    }
    enum action action = m->actions[i < m->commands_at ? i : i - m->commands.n];
    unsigned did = v->ops->act(v, action, &none);
    if (did & DID_HANDLE)
        stack_did(ui, v, did);
    else
        frame_act(ui, action);
}

static void menu_add_item(struct dialog *d, const char *key, const char *help)
{
    struct str line = STR_INIT;
    str_append(&line, key);
    for (int w = cell_width(line.s); w < KEY_WIDTH; w++)
        str_append_char(&line, ' ');
    str_append(&line, help);
    strv_push_take(&d->items, str_take(&line));
}

/* Without the key where that means another action of the view. */
static void menu_add_action(const struct ui *ui, struct dialog *d, enum action action)
{
    struct str keys = STR_INIT;
    if (inputs_find_action(ui, ui_view(ui), ui->o.keys.keys[action][0]) == action)
        keymap_format(&ui->o.keys, action, true, &keys);
    menu_add_item(d, keys.s, tr(action_info(action)->help));
    str_fini(&keys);
}

/* Those of ui.cfg that fit the row. */
static void menu_add_commands(const struct ui *ui, struct dialog *d, struct action_menu *m)
{
    m->commands_at = m->n;
    for (size_t i = 0; ui->o.commands && i < ui->o.commands->v.n; i++) {
        const struct user_command *c = &ui->o.commands->v.v[i];
        struct str key = STR_INIT;
        if (!command_user_applies(ui, c))
            continue;
        if (c->key)
            key_format(c->key, &key);
        char *text = xasprintf(":%s  %s", c->name, c->help ? c->help : c->run);
        menu_add_item(d, key.s, text);
        strv_push(&m->commands, c->name);
        free(text);
        str_fini(&key);
    }
}

static void menu_add_scope(const struct ui *ui, struct dialog *d, struct action_menu *m, enum scope scope)
{
    for (int k = 1; k < ACTION_N; k++) {
        const char *label = offered_label(ui, (enum action)k);
        if (action_info((enum action)k)->scope != scope || (label && !*label))
            continue;
        menu_add_action(ui, d, (enum action)k);
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

/* Keys that only move are left out; what is done to lists stands behind what is done to rows. */
static bool is_of_lists(enum scope scope)
{
    return scope == SCOPE_MOVE || scope == SCOPE_LIST;
}

static struct dialog *menu_make(struct ui *ui)
{
    const struct view_ops *ops = ui_view(ui)->ops;
    struct action_menu *m = xcalloc(1, sizeof *m);
    char *title = menu_title(ui);
    struct dialog *d = dialog_new(DIALOG_MENU, title);
    for (size_t s = 0; s < ops->n_scopes; s++)
        if (!is_of_lists(ops->scopes[s]))
            menu_add_scope(ui, d, m, ops->scopes[s]);
    menu_add_commands(ui, d, m);
    for (size_t s = 0; s < ops->n_scopes; s++)
        if (ops->scopes[s] == SCOPE_LIST)
            menu_add_scope(ui, d, m, SCOPE_LIST);
    if (ops->pane)
        menu_add_scope(ui, d, m, SCOPE_PANE);
    free(title);
    d->verb = xstrdup(tr("choose"));
    ui_take_dialog(ui, d, menu_chosen, m, action_menu_free);
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
