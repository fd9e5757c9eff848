/* stack.c - what lies over one another: the screen of a number key, the views pushed onto it, dialogs on
 * top of all. */
#include "ui/frame/frame_internal.h"

#include <stdlib.h>

#include "src/base/xalloc.h"

/* --- views --- */

struct view *app_view(const struct ui *a)
{
    return a->pushed.n ? a->pushed.v[a->pushed.n - 1] : a->roots[a->root];
}

bool view_takes_text(struct view *v)
{
    const struct view_ops *ops = v->ops;
    return ops->types || (ops->typing && ops->typing(v)) || (ops->table && ops->table(v)->typing);
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

static void open_root(struct ui *a, size_t i)
{
    if (a->roots[i])
        return;
    a->roots[i] = screens[i]->open(a, NULL);
    a->behind[i] = true; /* it has not seen its filter yet */
    remember_restore(a, a->roots[i]);
}

void stack_show_screen(struct ui *a, size_t i)
{
    while (a->pushed.n)
        stack_pop(a);
    open_root(a, i);
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

/* What was typed ahead was meant for after a yes. */
static void forget_ahead(struct ui *a)
{
    vec_clear(&a->ahead);
}

static void dialog_drop(struct ui *a, size_t i)
{
    struct open_dialog od = a->dialogs.v[i];
    vec_remove(&a->dialogs, i);
    if (od.d->waiting && !a->replay)
        forget_ahead(a);
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

void ui_point_at(struct ui *a, uint32_t job)
{
    app_sync(a);
    for (size_t i = 0; i < screens_count(); i++)
        if (screens[i]->point_at) {
            open_root(a, i);
            screens[i]->point_at(a->roots[i], job);
            if (!a->behind[i])
                screens[i]->sync(a->roots[i]);
        }
    a->dirty = true;
}

void stack_did(struct ui *a, const struct view *v, unsigned did)
{
    if (did & DID_REDRAW)
        a->dirty = true;
    if (did & DID_LEAVE && a->pushed.n && a->pushed.v[a->pushed.n - 1] == v)
        stack_pop(a);
}

/* --- dialogs --- */

#define AHEAD_MAX 64

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

uint64_t ui_keep_dialog(struct ui *a)
{
    struct dialog *d = ui_find_dialog(a, a->doing);
    bug_on(!d);
    d->kept = true;
    return a->doing;
}

void ui_dialog_waits(struct ui *a, uint64_t number)
{
    struct dialog *d = ui_find_dialog(a, number);
    if (d)
        dialog_wait(d);
}

static bool typed_ahead(struct ui *a, const struct dialog *d, const struct input *in)
{
    if (!d->waiting || in->kind != INPUT_KEY || in->key == KEYNAME_ESC)
        return false;
    if (a->ahead.n < AHEAD_MAX)
        vec_push(&a->ahead, in->key);
    return true;
}

void stack_replay(struct ui *a)
{
    if (!a->replay)
        return;
    struct ahead keys = a->ahead; /* they may make another one wait */
    a->ahead = (struct ahead){.v = NULL};
    a->replay = false;
    vec_for_each (&keys, i) {
        struct input in = {.kind = INPUT_KEY, .key = keys.v[i]};
        app_input(a, &in);
    }
    vec_fini(&keys);
}

bool ui_refuse_dialog(struct ui *a, uint64_t number, const char *fmt, ...)
{
    struct dialog *d = ui_find_dialog(a, number);
    struct str s = STR_INIT;
    va_list ap;
    if (!d)
        return false;
    forget_ahead(a);
    va_start(ap, fmt);
    str_vappendf(&s, fmt, ap);
    va_end(ap);
    dialog_refuse(d, s.s);
    str_fini(&s);
    return true;
}

void ui_drop_dialog(struct ui *a, uint64_t number)
{
    vec_for_each (&a->dialogs, i)
        if (a->dialogs.v[i].number == number) {
            a->replay |= a->dialogs.v[i].d->waiting;
            dialog_drop(a, i);
            a->dirty = true;
            return;
        }
}

void stack_dialog_input(struct ui *a, const struct input *in)
{
    uint64_t number = a->dialogs.v[a->dialogs.n - 1].number;
    struct open_dialog od = a->dialogs.v[a->dialogs.n - 1];
    a->dirty = true;
    if (typed_ahead(a, od.d, in))
        return;
    enum dialog_outcome outcome = dialog_input(od.d, in, &a->o.keys);
    if (outcome == DIALOG_OPEN)
        return;
    /* done may open another dialog: this one goes by its number. */
    a->doing = number;
    od.d->kept = false;
    if (od.done)
        od.done(a, od.d, outcome, od.arg);
    a->doing = 0;
    struct dialog *d = ui_find_dialog(a, number);
    if (d && d->kept)
        return;
    if (d)
        d->waiting = false; /* it is left */
    forget_ahead(a);
    ui_drop_dialog(a, number);
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
    vec_fini(&a->ahead);
}
