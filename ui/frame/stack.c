/* stack.c - the screens and the views over them. */
#include "ui/frame/stack.h"

#include <stdlib.h>

#include "src/base/vec.h"
#include "src/base/xalloc.h"
#include "ui/frame/aside.h"
#include "ui/frame/dialogs.h"
#include "ui/frame/remember.h"
#include "ui/frame/requests.h"
#include "ui/frame/utilization.h"
#include "ui/state/changes.h"
#include "ui/state/ui_state.h"

struct stack {
    struct view *roots[SCREENS_MAX]; /* the screens of the number keys; opened when first needed */
    bool behind[SCREENS_MAX];        /* they have not seen the model's last change */
    uint64_t seen[SCREENS_MAX];      /* they have seen the changes noted before this number */
    size_t root;
    VEC(struct view *) pushed;
    struct {
        bool on;
        size_t root;
        char *filter, *before; /* of the screen that it led to: now, and before */
        bool mine;             /* as it was there before */
    } from;                    /* the screen whose row led to this one */
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

static bool view_shows_own(struct view *v)
{
    return v->ops->shows_own && v->ops->shows_own(v);
}

bool stack_shows_own(const struct ui *ui)
{
    const struct stack *s = ui->stack;
    bool own = view_shows_own(s->roots[s->root]);
    for (size_t i = 0; own && i < s->pushed.n; i++)
        own = view_shows_own(s->pushed.v[i]);
    return own;
}

static void stack_close(struct ui *ui, struct view *v)
{
    requests_forget(ui, v);
    aside_forget(ui, v);
    v->ops->close(v);
}

static void stack_watch(struct ui *ui)
{
    struct view *v = ui_view(ui);
    uint32_t job = v->ops->watches_job ? v->ops->watches_job(v) : 0;
    utilization_want(ui, v->ops->watches_util || job, v->ops->watches_util ? 0 : job);
}

/* Screens that are not on top any more. */
static void stack_rest(struct ui *ui)
{
    for (size_t i = 0; i < ui->program.n_screens; i++) {
        struct view *v = ui->stack->roots[i];
        if (v && v != ui_view(ui) && v->ops->rest)
            v->ops->rest(v);
    }
}

static void stack_changed(struct ui *ui)
{
    ui->dirty = true;
    stack_rest(ui);
    stack_watch(ui);
}

static struct view *stack_open(struct ui *ui, size_t i)
{
    struct stack *s = ui->stack;
    if (!s->roots[i]) {
        s->roots[i] = ui->program.screens[i].ops->open(ui, NULL);
        s->behind[i] = true; /* it has not seen its filter yet */
        s->seen[i] = 0;
        remember_restore(ui, s->roots[i]);
    }
    return s->roots[i];
}

static void stack_forget_origin(struct stack *s)
{
    free(s->from.filter);
    free(s->from.before);
    s->from.filter = s->from.before = NULL;
    s->from.on = false;
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
    stack_forget_origin(s);
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
    stack_forget_origin(s);
    struct view *v = stack_open(ui, i);
    s->root = i;
    if (s->behind[i]) { /* it has missed what was noted */
        changes_recall(ui, s->seen[i]);
        v->ops->sync(v);
        if (!changes_unseen(ui))
            changes_clear(ui);
    }
    s->behind[i] = false;
    s->seen[i] = changes_noted(ui);
    stack_changed(ui);
}

void ui_close(struct ui *ui, struct view *v)
{
    if (!stack_is_pushed(ui) || ui_view(ui) != v)
        return;
    dialogs_drop_others(ui); /* what it had asked means nothing without it */
    stack_pop(ui);
}

static void stack_set_filter(struct ui *ui, struct view *v, const char *filter, bool mine)
{
    if (v->ops->mine && *v->ops->mine(v) != mine) {
        *v->ops->mine(v) = mine;
        v->ops->sync(v);
    }
    table_set_filter(v->ops->table(v), filter);
    remember_view(ui, v);
}

void ui_go(struct ui *ui, const char *screen, const char *filter)
{
    struct stack *s = ui->stack;
    for (size_t i = 0; i < ui->program.n_screens; i++) {
        size_t from = s->root;
        if (!str_eq(ui->program.screens[i].ops->name, screen))
            continue;
        stack_show_screen(ui, i);
        struct view *v = ui_view(ui);
        s->from.on = from != i;
        s->from.root = from;
        s->from.filter = xstrdup(filter);
        s->from.before = xstrdup(v->ops->table(v)->edit.text.s);
        s->from.mine = v->ops->mine && *v->ops->mine(v);
        stack_set_filter(ui, v, filter, false);
    }
}

static bool stack_filter_is_kept(const struct ui *ui)
{
    const struct stack *s = ui->stack;
    struct view *v = s->roots[s->root];
    return str_eq(v->ops->table(v)->edit.text.s, s->from.filter);
}

bool stack_can_go_back(const struct ui *ui)
{
    return ui->stack->pushed.n > 0 || ui->stack->from.on;
}

void stack_go_back(struct ui *ui)
{
    struct stack *s = ui->stack;
    if (s->pushed.n) {
        stack_pop(ui);
        return;
    }
    if (!s->from.on)
        return;
    if (stack_filter_is_kept(ui)) /* else the user has typed another, which stays */
        stack_set_filter(ui, s->roots[s->root], s->from.before, s->from.mine);
    stack_show_screen(ui, s->from.root);
}

bool stack_leave_visit(struct ui *ui)
{
    const struct stack *s = ui->stack;
    if (s->pushed.n || !s->from.on || !stack_filter_is_kept(ui))
        return false;
    const struct list_state *rows = &s->roots[s->root]->ops->table(s->roots[s->root])->list;
    if (rows->range || list_n_marks(rows))
        return false;
    stack_go_back(ui);
    return true;
}

/* The first part of its title: "Job 51". */
static void stack_add_crumb(const struct ui *ui, struct view *v, struct rich *out)
{
    struct rich title;
    rich_init(&title);
    v->ops->title(v, &title);
    if (title.n_runs)
        str_truncate(&title.text, title.runs[0].end);
    rich_addf(out, ROLE_DIM, "%s%s", title.text.s, ui_ascii(ui) ? " > " : " \u203a ");
    rich_fini(&title);
}

void stack_path(const struct ui *ui, struct rich *out)
{
    const struct stack *s = ui->stack;
    if (s->from.on)
        stack_add_crumb(ui, s->roots[s->from.root], out);
    if (s->pushed.n)
        stack_add_crumb(ui, s->roots[s->root], out);
    for (size_t i = 0; i + 1 < s->pushed.n; i++)
        stack_add_crumb(ui, s->pushed.v[i], out);
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
    s->seen[s->root] = changes_noted(ui);
    vec_for_each (&s->pushed, i)
        s->pushed.v[i]->ops->sync(s->pushed.v[i]);
    stack_watch(ui); /* it may show another job */
}
