/* menu.c - the menu of all that can be done in a view, from the key table. */
#include <stdlib.h>

#include "src/base/xalloc.h"
#include "ui/frame/frame_internal.h"

struct deed_menu {
    enum action actions[ACTION_N];
};

static void menu_chosen(struct ui *a, struct dialog *d, enum dialog_outcome outcome, void *arg)
{
    const struct deed_menu *m = arg;
    struct view *v = app_view(a);
    struct input none = input_key(0);
    if (outcome == DIALOG_YES)
        stack_did(a, v, v->ops->act(v, m->actions[dialog_choice(d)], &none));
}

/* What moves is left out: nobody looks for it in a menu. */
void menu_open(struct ui *a)
{
    const struct view_ops *ops = app_view(a)->ops;
    struct deed_menu *m = xcalloc(1, sizeof *m);
    struct dialog *d = dialog_new(DIALOG_MENU, "what can be done here");
    size_t n = 0;
    for (size_t s = 0; s < ops->n_scopes; s++)
        for (int k = 1; k < ACTION_N; k++) {
            const struct action_info *info = action_info((enum action)k);
            if (info->scope != ops->scopes[s] || info->scope == SCOPE_MOVE)
                continue;
            struct str line = STR_INIT;
            keymap_format(&a->o.keys, (enum action)k, true, &line);
            while (line.len < 6)
                str_append_char(&line, ' ');
            str_append(&line, info->help);
            strv_push_take(&d->items, str_take(&line));
            m->actions[n++] = (enum action)k;
        }
    d->verb = xstrdup("do it");
    ui_take_dialog(a, d, menu_chosen, m, free);
}
