/* help.c - the help and the menu of the view on top, from the key table. */
#include "ui/app/help.h"

#include <stdlib.h>

#include "src/base/utf8.h"
#include "src/base/xalloc.h"
#include "ui/command/command.h"
#include "ui/frame/stack.h"
#include "ui/frame/ui_state.h"

#define KEY_WIDTH 14

/* In a view that takes text, a letter is not a key. */
static void append_keys(const struct ui *ui, enum action action, bool typing, struct str *out)
{
    struct str all = STR_INIT;
    keymap_format(&ui->o.keys, action, false, &all);
    struct strv keys = strv_split(all.s, " ");
    for (size_t i = 0; i < keys.n; i++)
        if (!typing || cell_width(keys.v[i]) > 1)
            str_appendf(out, "%s%s", out->len ? " " : "", keys.v[i]);
    strv_fini(&keys);
    str_fini(&all);
}

static void add_scope(const struct ui *ui, struct lines *l, enum scope scope, bool typing)
{
    if (l->n)
        lines_add(l);
    lines_addf(l, ROLE_TITLE, "%s", scope_title(scope));
    for (int k = 1; k < ACTION_N; k++) {
        const struct action_info *info = action_info((enum action)k);
        struct str keys = STR_INIT;
        if (info->scope == scope)
            append_keys(ui, (enum action)k, typing, &keys);
        if (keys.len) {
            struct rich *r = lines_add(l);
            int pad = KEY_WIDTH - cell_width(keys.s);
            rich_add(r, ROLE_KEY, keys.s);
            rich_addf(r, ROLE_NORMAL, "%*s", pad > 1 ? pad : 1, "");
            rich_add(r, ROLE_NORMAL, info->help);
            r->hang = KEY_WIDTH;
        }
        str_fini(&keys);
    }
}

void help_open(struct ui *ui)
{
    const struct view_ops *ops = ui_view(ui)->ops;
    struct str title = STR_INIT;
    str_appendf(&title, "keys: %s", ops->name);
    struct dialog *d = dialog_new(DIALOG_TEXT, title.s);
    str_fini(&title);
    for (size_t i = 0; i < ops->n_scopes; i++)
        add_scope(ui, &d->body.lines, ops->scopes[i], ops->types);
    add_scope(ui, &d->body.lines, SCOPE_GLOBAL, ops->types);
    if (!ops->types) {
        add_scope(ui, &d->body.lines, SCOPE_WAIT, false);
        lines_add(&d->body.lines);
        lines_addf(&d->body.lines, ROLE_TITLE, "Commands");
        command_help(&d->body.lines);
    }
    ui_take_dialog(ui, d, NULL, NULL, NULL);
}

/* --- the menu --- */

struct action_menu {
    enum action actions[ACTION_N];
};

static void menu_chosen(struct ui *ui, struct dialog *d, enum dialog_outcome outcome, void *arg)
{
    const struct action_menu *m = arg;
    struct view *v = ui_view(ui);
    struct input none = input_key(0);
    if (outcome == DIALOG_YES)
        stack_did(ui, v, v->ops->act(v, m->actions[dialog_choice(d)], &none));
}

/* Keys that only move are left out. */
void menu_open(struct ui *ui)
{
    const struct view_ops *ops = ui_view(ui)->ops;
    struct action_menu *m = xcalloc(1, sizeof *m);
    struct dialog *d = dialog_new(DIALOG_MENU, "all actions here");
    size_t n = 0;
    for (size_t s = 0; s < ops->n_scopes; s++)
        for (int k = 1; k < ACTION_N; k++) {
            const struct action_info *info = action_info((enum action)k);
            if (info->scope != ops->scopes[s] || info->scope == SCOPE_MOVE)
                continue;
            struct str line = STR_INIT;
            keymap_format(&ui->o.keys, (enum action)k, true, &line);
            while (line.len < 6)
                str_append_char(&line, ' ');
            str_append(&line, info->help);
            strv_push_take(&d->items, str_take(&line));
            m->actions[n++] = (enum action)k;
        }
    d->verb = xstrdup("choose");
    ui_take_dialog(ui, d, menu_chosen, m, free);
}
