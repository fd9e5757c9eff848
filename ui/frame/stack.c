/* stack.c - the screens and the views over them. */
#include "ui/frame/stack.h"

#include <stdlib.h>

#include "src/base/vec.h"
#include "src/base/xalloc.h"
#include "ui/frame/aside.h"
#include "ui/frame/changes.h"
#include "ui/frame/dialogs.h"
#include "ui/frame/remember.h"
#include "ui/frame/requests.h"
#include "ui/frame/ui_state.h"
#include "ui/frame/utilization.h"

struct stack {
    struct view *roots[SCREENS_MAX]; /* the screens of the number keys; opened when first needed */
    bool behind[SCREENS_MAX];        /* they have not seen the model's last change */
    size_t root;
    VEC(struct view *) pushed;
};

struct view *ui_view(const struct ui *ui)
{
    const struct stack *s = ui->stack;
    return s->pushed.n ? s->pushed.v[s->pushed.n - 1] : s->roots[s->root];
}

bool stack_is_pushed(const struct ui *ui)
{
    return ui->stack->pushed.n > 0;
}

size_t stack_screen(const struct ui *ui)
{
    return ui->stack->root;
}

bool stack_takes_text(struct view *v)
{
    const struct view_ops *ops = v->ops;
    return ops->types || (ops->typing && ops->typing(v)) || (ops->table && ops->table(v)->typing);
}

static void stack_close(struct ui *ui, struct view *v)
{
    requests_forget(ui, v);
    aside_forget(ui, v);
    v->ops->close(v);
}

static void stack_changed(struct ui *ui)
{
    ui->dirty = true;
    utilization_want(ui, ui_view(ui)->ops->watches_util);
}

static struct view *stack_open(struct ui *ui, size_t i)
{
    struct stack *s = ui->stack;
    if (!s->roots[i]) {
        s->roots[i] = ui->program.screens[i].ops->open(ui, NULL);
        s->behind[i] = true; /* it has not seen its filter yet */
        remember_restore(ui, s->roots[i]);
    }
    return s->roots[i];
}

void stack_new(struct ui *ui)
{
    ui->stack = xcalloc(1, sizeof *ui->stack);
    bug_on(ui->program.n_screens > SCREENS_MAX);
    stack_open(ui, 0);
    ui->stack->behind[0] = false;
    stack_changed(ui);
}

void stack_free(struct ui *ui)
{
    struct stack *s = ui->stack;
    while (s->pushed.n)
        stack_close(ui, s->pushed.v[--s->pushed.n]);
    for (size_t i = 0; i < ui->program.n_screens; i++)
        if (s->roots[i])
            stack_close(ui, s->roots[i]);
    vec_fini(&s->pushed);
    free(s);
    ui->stack = NULL;
}

void ui_push(struct ui *ui, const struct view_ops *ops, const void *arg)
{
    struct view *v = ops->open(ui, arg);
    if (!v)
        return;
    vec_push(&ui->stack->pushed, v);
    stack_changed(ui);
}

void stack_pop(struct ui *ui)
{
    struct stack *s = ui->stack;
    if (!s->pushed.n)
        return;
    stack_close(ui, s->pushed.v[--s->pushed.n]);
    stack_changed(ui);
}

void stack_show_screen(struct ui *ui, size_t i)
{
    struct stack *s = ui->stack;
    while (s->pushed.n)
        stack_pop(ui);
    struct view *v = stack_open(ui, i);
    s->root = i;
    if (s->behind[i]) { /* it has missed what was noted */
        changes_all(ui);
        v->ops->sync(v);
        if (!changes_unseen(ui))
            changes_clear(ui);
    }
    s->behind[i] = false;
    stack_changed(ui);
}

void ui_close(struct ui *ui, struct view *v)
{
    if (!stack_is_pushed(ui) || ui_view(ui) != v)
        return;
    dialogs_drop_others(ui); /* what it had asked means nothing without it */
    stack_pop(ui);
}

void ui_go(struct ui *ui, const char *screen, const char *filter)
{
    for (size_t i = 0; i < ui->program.n_screens; i++) {
        if (!str_eq(ui->program.screens[i].ops->name, screen))
            continue;
        stack_show_screen(ui, i);
        struct view *v = ui_view(ui);
        table_set_filter(v->ops->table(v), filter);
        remember_view(ui, v);
    }
}

void stack_point_at(struct ui *ui, uint32_t job)
{
    for (size_t i = 0; i < ui->program.n_screens; i++)
        if (ui->program.screens[i].ops->point_at) {
            struct view *v = stack_open(ui, i);
            v->ops->point_at(v, job);
            if (!ui->stack->behind[i])
                v->ops->sync(v);
        }
    ui->dirty = true;
}

void stack_did(struct ui *ui, const struct view *v, unsigned did)
{
    if (did & DID_REDRAW)
        ui->dirty = true;
    if (did & DID_LEAVE && stack_is_pushed(ui) && ui_view(ui) == v)
        stack_pop(ui);
}

void stack_sync(struct ui *ui)
{
    struct stack *s = ui->stack;
    for (size_t i = 0; i < SCREENS_MAX; i++)
        s->behind[i] = i != s->root;
    s->roots[s->root]->ops->sync(s->roots[s->root]);
    vec_for_each (&s->pushed, i)
        s->pushed.v[i]->ops->sync(s->pushed.v[i]);
}
