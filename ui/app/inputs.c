/* inputs.c - an input goes to the topmost thing that takes it; a key that nobody takes is an action of the
 * view's, else of the frame's. */
#include <stdlib.h>
#include <string.h>

#include "ui/app/private.h"
#include "ui/view/submit.h"

#define SCOPES_MAX 8

/* --- the frame's own actions --- */

static void toggle_freeze(struct ui *a)
{
    a->frozen = !a->frozen;
    a->dirty = true;
    if (!a->frozen && a->missed)
        link_resync(a);
}

/* What was confirmed is done before one leaves. */
void ui_quit(struct ui *a)
{
    app_quit(a);
}

void app_quit(struct ui *a)
{
    later_run(a);
    a->wishes |= APP_QUIT;
}

static void go_back(struct ui *a)
{
    if (a->pushed.n)
        stack_pop(a);
    else
        app_quit(a);
}

void app_act(struct ui *a, enum action action)
{
    int screen = screen_of_action(action);
    if (screen >= 0)
        stack_show_screen(a, (size_t)screen);
    else if (action == ACTION_HELP)
        help_open(a);
    else if (action == ACTION_SUBMIT)
        submit_open(a, NULL);
    else if (action == ACTION_COMMAND)
        command_open(a, "");
    else if (action == ACTION_MENU)
        menu_open(a);
    else if (action == ACTION_BACK)
        go_back(a);
    else if (action == ACTION_CLOSE)
        stack_pop(a);
    else if (action == ACTION_RESYNC)
        link_resync(a);
    else if (action == ACTION_REDRAW)
        a->wishes |= APP_REDRAW;
    else if (action == ACTION_FREEZE)
        toggle_freeze(a);
    else if (action == ACTION_SUSPEND) {
        later_run(a); /* its line would stand still */
        a->wishes |= APP_SUSPEND;
    } else if (action == ACTION_QUIT)
        app_quit(a);
    else if (action == ACTION_MOUSE) {
        a->mouse_on = !a->mouse_on;
        a->wishes |= APP_MOUSE;
        ui_toast(a, ROLE_NORMAL, a->mouse_on ? "mouse on" : "mouse off: the terminal selects text");
    } else
        return;
    a->dirty = true;
}

/* --- who gets it --- */

static enum action find_action(const struct ui *a, const struct view *v, uint32_t key)
{
    enum scope scopes[SCOPES_MAX];
    size_t n = v->ops->n_scopes;
    bug_on(n >= SCOPES_MAX);
    memcpy(scopes, v->ops->scopes, n * sizeof scopes[0]);
    scopes[n] = SCOPE_GLOBAL;
    return keymap_find(&a->o.keys, scopes, n + 1, key);
}

/* A double click opens what it hit, as Enter does. */
static enum action action_of(const struct ui *a, const struct view *v, const struct input *in)
{
    if (in->kind == INPUT_KEY)
        return find_action(a, v, in->key);
    if (in->kind == INPUT_MOUSE && in->what == MOUSE_DOUBLE)
        return find_action(a, v, KEYNAME_ENTER);
    return ACTION_NONE;
}

static bool wants_undo(const struct ui *a, const struct input *in)
{
    static const enum scope scope[] = {SCOPE_WAIT};
    return a->later.fn && in->kind == INPUT_KEY &&
           keymap_find(&a->o.keys, scope, 1, in->key) == ACTION_UNDO;
}

void app_input(struct ui *a, const struct input *in)
{
    app_sync(a);
    if (in->kind == INPUT_RESIZE) {
        a->dirty = true;
        return;
    }
    if (in->kind == INPUT_KEY && a->toast) {
        free(a->toast);
        a->toast = NULL;
        a->dirty = true;
    }
    if (in->kind == INPUT_KEY && in->key == CTRL_KEY('c')) {
        struct view *top = app_view(a); /* where it asks already, the second time is meant */
        if (!later_undo(a) && (a->dialogs.n || !top->ops->may_quit || top->ops->may_quit(top)))
            a->wishes |= APP_QUIT;
        return;
    }
    if (a->dialogs.n) {
        stack_dialog_input(a, in);
        app_sync(a);
        remember_view(a, app_view(a));
        return;
    }
    if (a->cmd.open) {
        command_input(a, in);
        app_sync(a);
        remember_view(a, app_view(a));
        return;
    }
    struct view *v = app_view(a);
    unsigned did = v->ops->input ? v->ops->input(v, in) : 0;
    if (!(did & DID_HANDLE) && wants_undo(a, in)) { /* where one types it is a letter */
        later_undo(a);
        return;
    }
    if (!(did & DID_HANDLE)) {
        enum action action = action_of(a, v, in);
        if (action)
            did |= v->ops->act(v, action, in);
        if (!(did & DID_HANDLE))
            app_act(a, action);
    }
    stack_did(a, v, did);
    app_sync(a);
    remember_view(a, app_view(a));
}

int app_view_fd(struct ui *a)
{
    struct view *v = app_view(a);
    return v->ops->fd ? v->ops->fd(v) : -1;
}

void app_view_wake(struct ui *a)
{
    struct view *v = app_view(a);
    if (v->ops->wake)
        stack_did(a, v, v->ops->wake(v));
}
