/* inputs.c - an input goes to the topmost thing that takes it; a key that nobody takes is an action of the
 * view's, else of the frame's. */
#include <stdlib.h>
#include <string.h>

#include "ui/form/form_view.h"
#include "ui/frame/frame_internal.h"

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

/* --- what is typed at once --- */

/* Does what is typed become text? */
static bool takes_text(const struct ui *a)
{
    const struct dialog *d = a->dialogs.n ? a->dialogs.v[a->dialogs.n - 1].d : NULL;
    return d ? d->kind == DIALOG_PROMPT || d->must_type : a->cmd.open || view_takes_text(app_view(a));
}

static bool opens_line(const struct ui *a, const struct input *in)
{
    if (a->dialogs.n)
        return false;
    enum action action = find_action(a, app_view(a), in->key);
    return action == ACTION_COMMAND || action == ACTION_FILTER || action == ACTION_FIND;
}

/* Of the keys that are no text, those that can do nothing but to the line. */
static bool edits_line(uint32_t key)
{
    return key == KEYNAME_ENTER || key == KEYNAME_TAB || key == KEYNAME_BACKSPACE || key == CTRL_KEY('u') ||
           key == CTRL_KEY('w');
}

static void paste_instead(struct ui *a, uint32_t key)
{
    char text[] = {(char)key, '\0'};
    struct input in = {.kind = INPUT_PASTE, .text = text};
    app_input(a, &in);
}

/* A terminal without bracketed paste sends a pasted text as keys. It is text where something is typed; else
 * nothing of it may be run, but for a first key that opens a line. Returns whether the key is to be taken
 * as one. */
static bool is_typed(struct ui *a, const struct input *in)
{
    bool text = takes_text(a);
    if (!in->burst) {
        a->in_dropped_paste = false;
        return true;
    }
    if (a->in_dropped_paste)
        return false;
    if (text && in->more && (in->key == KEYNAME_ENTER || in->key == KEYNAME_TAB)) {
        paste_instead(a, in->key);
        return false;
    }
    if (text)
        return key_is_text(in->key) || edits_line(in->key);
    if (opens_line(a, in))
        return true;
    a->in_dropped_paste = true;
    ui_toast(a, ROLE_WARN, "pasted text was ignored: there is nothing here to type into");
    return false;
}

/* Ctrl-C leaves what is asked or typed, as Esc does. Where it has been asked whether to quit, the second
 * time is meant. */
static void interrupt(struct ui *a)
{
    struct view *top = app_view(a);
    struct input esc = input_key(KEYNAME_ESC);
    uint64_t asked = a->dialogs.n ? a->dialogs.v[a->dialogs.n - 1].number : 0;
    if (later_undo(a))
        return;
    if (asked ? asked != a->quit_asked : a->cmd.open || (!top->ops->types && view_takes_text(top))) {
        app_input(a, &esc);
    } else if (asked || !top->ops->may_quit || top->ops->may_quit(top)) {
        a->wishes |= APP_QUIT;
    } else if (a->dialogs.n) {
        a->quit_asked = a->dialogs.v[a->dialogs.n - 1].number;
    }
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
    if (in->kind == INPUT_KEY && !is_typed(a, in))
        return;
    if (in->kind == INPUT_KEY && a->toast) {
        free(a->toast);
        a->toast = NULL;
        a->dirty = true;
    }
    if (in->kind == INPUT_KEY && in->key == CTRL_KEY('c')) {
        interrupt(a);
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
