/* copy_menu.c - the menu of what can be copied. */
#include "ui/view/copy_menu.h"

#include <stdlib.h>
#include <string.h>

#include "src/base/utf8.h"
#include "src/base/vec.h"
#include "src/base/xalloc.h"
#include "src/lang/lang.h"

#define LABEL_WIDTH 14

struct copy_item {
    char *label, *text;
    char *shown;          /* in place of the text; NULL: the text itself */
    copy_fetch_fn *fetch; /* NULL: the text is copied */
    void *arg;
    void (*free_arg)(void *);
};

struct copy_menu {
    VEC(struct copy_item) items;
};

struct copy_menu *copy_menu_new(void)
{
    return xcalloc(1, sizeof(struct copy_menu));
}

static void copy_menu_free(void *p)
{
    struct copy_menu *m = p;
    vec_for_each (&m->items, i) {
        struct copy_item *item = &m->items.v[i];
        if (item->free_arg)
            item->free_arg(item->arg);
        free(item->label);
        free(item->text);
        free(item->shown);
    }
    vec_fini(&m->items);
    free(m);
}

void copy_menu_add(struct copy_menu *m, const char *label, const char *text)
{
    if (!str_is_empty(text))
        vec_push(&m->items, ((struct copy_item){.label = xstrdup(label), .text = xstrdup(text)}));
}

void copy_menu_add_text(struct copy_menu *m, const char *label, const char *shown, const char *text)
{
    if (!str_is_empty(text))
        vec_push(&m->items, ((struct copy_item){
                                .label = xstrdup(label), .text = xstrdup(text), .shown = xstrdup(shown)}));
}

void copy_menu_add_fetch(struct copy_menu *m, const char *label, const char *shown, copy_fetch_fn *fetch,
                         void *take_arg, void (*free_arg)(void *))
{
    vec_push(&m->items, ((struct copy_item){.label = xstrdup(label),
                                            .text = xstrdup(shown),
                                            .fetch = fetch,
                                            .arg = take_arg,
                                            .free_arg = free_arg}));
}

void copy_menu_add_row(struct copy_menu *m, struct table *t)
{
    struct str row = STR_INIT;
    table_append_row(t, &row);
    char *shown = xstrdup(row.s);
    for (char *tab = shown; (tab = strchr(tab, '\t')); tab++)
        *tab = ' ';
    copy_menu_add_text(m, tr("this row"), shown, row.s);
    free(shown);
    str_fini(&row);
}

static void copy_menu_chosen(struct ui *ui, struct dialog *d, enum dialog_outcome outcome, void *arg)
{
    const struct copy_menu *m = arg;
    size_t i = dialog_choice(d);
    if (outcome != DIALOG_YES || i >= m->items.n)
        return;
    const struct copy_item *item = &m->items.v[i];
    if (item->fetch)
        item->fetch(ui, item->arg);
    else
        ui_copy(ui, item->text, item->shown ? item->shown : item->text);
}

void copy_menu_open(struct ui *ui, struct copy_menu *take_m)
{
    if (!take_m->items.n) {
        copy_menu_free(take_m);
        return;
    }
    struct dialog *d = dialog_new(DIALOG_MENU, tr("copy to the clipboard"));
    vec_for_each (&take_m->items, i) {
        const struct copy_item *item = &take_m->items.v[i];
        int pad = LABEL_WIDTH - cell_width(item->label);
        strv_push_take(&d->items, xasprintf("%s%*s%s", item->label, pad > 1 ? pad : 1, "",
                                            item->shown ? item->shown : item->text));
    }
    d->verb = xstrdup(tr("copy"));
    ui_take_dialog(ui, d, copy_menu_chosen, take_m, copy_menu_free);
}
