/* help.c - the help of the screen one is in, from the key table. */
#include "src/base/utf8.h"
#include "ui/frame/frame_internal.h"

#define KEY_WIDTH 14

/* Where one types, a key that is a letter is that letter. */
static void append_keys(const struct ui *a, enum action action, bool typing, struct str *out)
{
    struct str all = STR_INIT;
    keymap_format(&a->o.keys, action, false, &all);
    struct strv keys = strv_split(all.s, " ");
    for (size_t i = 0; i < keys.n; i++)
        if (!typing || cell_width(keys.v[i]) > 1)
            str_appendf(out, "%s%s", out->len ? " " : "", keys.v[i]);
    strv_fini(&keys);
    str_fini(&all);
}

static void add_scope(const struct ui *a, struct lines *l, enum scope scope, bool typing)
{
    if (l->n)
        lines_add(l);
    lines_addf(l, ROLE_TITLE, "%s", scope_title(scope));
    for (int k = 1; k < ACTION_N; k++) {
        const struct action_info *info = action_info((enum action)k);
        struct str keys = STR_INIT;
        if (info->scope == scope)
            append_keys(a, (enum action)k, typing, &keys);
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

void help_open(struct ui *a)
{
    const struct view_ops *ops = app_view(a)->ops;
    struct str title = STR_INIT;
    str_appendf(&title, "keys: %s", ops->name);
    struct dialog *d = dialog_new(DIALOG_TEXT, title.s);
    str_fini(&title);
    for (size_t i = 0; i < ops->n_scopes; i++)
        add_scope(a, &d->body.lines, ops->scopes[i], ops->types);
    add_scope(a, &d->body.lines, SCOPE_GLOBAL, ops->types);
    if (!ops->types) {
        add_scope(a, &d->body.lines, SCOPE_WAIT, false);
        lines_add(&d->body.lines);
        lines_addf(&d->body.lines, ROLE_TITLE, "Commands");
        command_help(&d->body.lines);
    }
    ui_take_dialog(a, d, NULL, NULL, NULL);
}
