/* stack.c - what lies over one another: the screen of a number key, the views pushed onto it, dialogs on
 * top of all. */
#include "ui/app/private.h"

#include <stdlib.h>

#include "src/base/xalloc.h"

/* --- views --- */

struct view *app_view(const struct ui *a)
{
    return a->pushed.n ? a->pushed.v[a->pushed.n - 1] : a->roots[a->root];
}

static void view_close(struct ui *a, struct view *v)
{
    link_forget(a, v);
    aside_forget(a, v);
    v->ops->close(v);
}

static void shown_changed(struct ui *a)
{
    a->dirty = true;
    link_watch(a);
}

void ui_push(struct ui *a, const struct view_ops *ops, const void *arg)
{
    struct view *v = ops->open(a, arg);
    if (!v)
        return;
    vec_push(&a->pushed, v);
    shown_changed(a);
}

void stack_pop(struct ui *a)
{
    if (!a->pushed.n)
        return;
    view_close(a, a->pushed.v[--a->pushed.n]);
    shown_changed(a);
}

void stack_show_screen(struct ui *a, size_t i)
{
    while (a->pushed.n)
        stack_pop(a);
    if (!a->roots[i]) {
        a->roots[i] = screens[i]->open(a, NULL);
        a->behind[i] = true; /* it has not seen its filter yet */
        remember_restore(a, a->roots[i]);
    }
    a->root = i;
    if (a->behind[i]) { /* it has missed what was noted */
        changes_all(a);
        a->roots[i]->ops->sync(a->roots[i]);
        if (!a->changed)
            changes_clear(a);
    }
    a->behind[i] = false;
    shown_changed(a);
}

static void dialog_drop(struct ui *a, size_t i)
{
    struct open_dialog od = a->dialogs.v[i];
    vec_remove(&a->dialogs, i);
    dialog_free(od.d);
    if (od.free_arg)
        od.free_arg(od.arg);
}

void ui_close(struct ui *a, struct view *v)
{
    if (!a->pushed.n || a->pushed.v[a->pushed.n - 1] != v)
        return;
    for (size_t i = a->dialogs.n; i-- > 0;) /* what it had asked means nothing without it */
        if (a->dialogs.v[i].number != a->doing)
            dialog_drop(a, i);
    stack_pop(a);
}

void ui_go(struct ui *a, const char *screen, const char *filter)
{
    for (size_t i = 0; i < screens_count(); i++) {
        if (!str_eq(screens[i]->name, screen))
            continue;
        stack_show_screen(a, i);
        struct table *t = screens[i]->table(a->roots[i]);
        table_set_filter(t, filter);
        remember_view(a, a->roots[i]);
    }
}

void stack_did(struct ui *a, const struct view *v, unsigned did)
{
    if (did & DID_REDRAW)
        a->dirty = true;
    if (did & DID_LEAVE && a->pushed.n && a->pushed.v[a->pushed.n - 1] == v)
        stack_pop(a);
}

/* --- dialogs --- */

uint64_t ui_take_dialog(struct ui *a, struct dialog *d, ui_done_fn *done, void *arg,
                        void (*free_arg)(void *))
{
    uint64_t number = a->next_number++;
    vec_push(&a->dialogs, (struct open_dialog){
                              .number = number, .d = d, .done = done, .arg = arg, .free_arg = free_arg});
    a->dirty = true;
    return number;
}

struct dialog *ui_find_dialog(struct ui *a, uint64_t number)
{
    vec_for_each (&a->dialogs, i)
        if (a->dialogs.v[i].number == number) {
            a->dirty = true;
            return a->dialogs.v[i].d;
        }
    return NULL;
}

void *ui_dialog_arg(struct ui *a, uint64_t number)
{
    vec_for_each (&a->dialogs, i)
        if (a->dialogs.v[i].number == number)
            return a->dialogs.v[i].arg;
    return NULL;
}

void stack_dialog_input(struct ui *a, const struct input *in)
{
    uint64_t number = a->dialogs.v[a->dialogs.n - 1].number;
    struct open_dialog od = a->dialogs.v[a->dialogs.n - 1];
    a->dirty = true;
    enum dialog_outcome outcome = dialog_input(od.d, in, &a->o.keys);
    if (outcome == DIALOG_OPEN)
        return;
    /* done may open another dialog: this one goes by its number. */
    a->doing = number;
    if (od.done)
        od.done(a, od.d, outcome, od.arg);
    a->doing = 0;
    vec_for_each (&a->dialogs, i)
        if (a->dialogs.v[i].number == number) {
            dialog_drop(a, i);
            return;
        }
}

/* --- the end --- */

void stack_fini(struct ui *a)
{
    while (a->dialogs.n)
        dialog_drop(a, a->dialogs.n - 1);
    while (a->pushed.n)
        view_close(a, a->pushed.v[--a->pushed.n]);
    for (size_t i = 0; i < sizeof a->roots / sizeof a->roots[0]; i++)
        if (a->roots[i])
            view_close(a, a->roots[i]);
    vec_fini(&a->pushed);
    vec_fini(&a->dialogs);
}
