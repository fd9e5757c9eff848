/* inputs.c - an input goes to the topmost component that takes it; a key that no component takes is an
 * action of the view, else of the frame. */
#include "ui/app/inputs.h"

#include <stdlib.h>
#include <string.h>

#include "src/base/vec.h"
#include "src/base/xalloc.h"
#include "src/lang/lang.h"
#include "ui/app/app.h"
#include "ui/app/help.h"
#include "ui/app/help_view.h"
#include "ui/app/log_view.h"
#include "ui/app/menu.h"
#include "ui/app/offered.h"
#include "ui/app/settings_view.h"
#include "ui/command/command.h"
#include "ui/command/command_user.h"
#include "ui/command/filter_line.h"
#include "ui/dialogs/job_dialogs.h"
#include "ui/form/form_view.h"
#include "ui/frame/dialogs.h"
#include "ui/frame/engine.h"
#include "ui/frame/frame_sync.h"
#include "ui/frame/hotspots.h"
#include "ui/frame/later.h"
#include "ui/frame/mirror_follow.h"
#include "ui/frame/outbox.h"
#include "ui/frame/remember.h"
#include "ui/frame/requests.h"
#include "ui/frame/reversal.h"
#include "ui/frame/side_panes.h"
#include "ui/frame/stack.h"
#include "ui/frame/toast.h"

#define SCOPES_MAX 8

/* --- the frame's own actions --- */

struct inputs {
    bool mouse_on;
    bool in_dropped_paste; /* the rest of a paste that came as keys is dropped too */
    uint64_t quit_asked;   /* the dialog that asks whether to quit; 0: none */
};

void inputs_new(struct ui *ui)
{
    ui->inputs = xcalloc(1, sizeof *ui->inputs);
    ui->inputs->mouse_on = true;
}

void inputs_free(struct ui *ui)
{
    free(ui->inputs);
    ui->inputs = NULL;
}

static void go_back(struct ui *ui)
{
    if (stack_can_go_back(ui))
        stack_go_back(ui);
    else
        ui_quit(ui);
}

static void toggle_mouse(struct ui *ui)
{
    bool on = ui->inputs->mouse_on = !ui->inputs->mouse_on;
    outbox_wish(ui, WISH_MOUSE);
    ui_toast(ui, ROLE_NORMAL, on ? tr("mouse on") : tr("mouse off: the terminal selects text"));
}

static void start_cluster(struct ui *ui)
{
    if (ui->session.online)
        ui_toast(ui, ROLE_NORMAL, tr("a controller runs already"));
    else
        outbox_wish(ui, WISH_START);
}

/* What came of it shows in the list. */
static void cancel_samples(struct ui *ui)
{
    struct msg_act act = {.act = ACT_CANCEL};
    struct strv ids = strv_split(ui->o.samples ? ui->o.samples : "", ",");
    for (size_t i = 0; i < ids.n; i++)
        *rec_list_push(&act.targets) = (struct job_target){
            .job = (uint32_t)strtoul(ids.v[i], NULL, 10), .array_index = ARRAY_NONE, .step = STEP_ALL};
    if (!ids.n)
        ui_toast(ui, ROLE_NORMAL, tr("no sample jobs were submitted with these screens"));
    else if (ui_send(ui, MSG_ACT, &act, NULL, NULL, 0))
        ui_toast(ui, ROLE_NORMAL, tr("the sample jobs are being cancelled"));
    rec_fini(&msg_act_rec, &act);
    strv_fini(&ids);
}

static bool show_screen(struct ui *ui, enum action action)
{
    for (size_t i = 0; i < ui->program.n_screens; i++)
        if (ui->program.screens[i].action == action) {
            stack_show_screen(ui, i);
            return true;
        }
    return false;
}

void inputs_act(struct ui *ui, enum action action)
{
    if (show_screen(ui, action) || side_panes_act(ui, action, 0))
        ;
    else if (action == ACTION_HELP)
        help_open(ui);
    else if (action == ACTION_SUBMIT)
        submit_open(ui, NULL);
    else if (action == ACTION_COMMAND)
        command_open(ui, "");
    else if (action == ACTION_LOG)
        log_open(ui);
    else if (action == ACTION_SETTINGS)
        ui_push(ui, &settings_view, NULL);
    else if (action == ACTION_MENU)
        menu_open(ui);
    else if (action == ACTION_BACK)
        go_back(ui);
    else if (action == ACTION_CLOSE)
        stack_pop(ui);
    else if (action == ACTION_RESYNC)
        follow_resync(ui);
    else if (action == ACTION_START)
        start_cluster(ui);
    else if (action == ACTION_SAMPLES)
        cancel_samples(ui);
    else if (action == ACTION_REDRAW)
        outbox_wish(ui, WISH_REDRAW);
    else if (action == ACTION_FREEZE)
        follow_freeze(ui, !ui->frozen);
    else if (action == ACTION_SUSPEND) {
        later_run(ui); /* its countdown would stop */
        outbox_wish(ui, WISH_SUSPEND);
    } else if (action == ACTION_QUIT)
        ui_quit(ui);
    else if (action == ACTION_MOUSE)
        toggle_mouse(ui);
    else
        return;
    ui->dirty = true;
}

/* --- who gets it --- */

/* Keys that are free for others as soon as there are jobs. */
static bool is_of_empty_queue(enum action action)
{
    return action == ACTION_TRY_SAMPLES || action == ACTION_TRY_DEMO;
}

enum action inputs_find_action(const struct ui *ui, const struct view *v, uint32_t key)
{
    enum scope scopes[SCOPES_MAX];
    size_t n = v->ops->n_scopes;
    bug_on(n + 2 > SCOPES_MAX);
    memcpy(scopes, v->ops->scopes, n * sizeof scopes[0]);
    if (v->ops->pane)
        scopes[n++] = SCOPE_PANE;
    scopes[n++] = SCOPE_GLOBAL;
    enum action action = keymap_find(&ui->o.keys, scopes, n, key);
    if (!is_of_empty_queue(action) || offered(ui, action))
        return action;
    size_t special = 0; /* its scope: what the key means without it */
    while (scopes[special] != action_info(action)->scope)
        special++;
    return keymap_find(&ui->o.keys, scopes + special + 1, n - special - 1, key);
}

/* A double click opens what it hit, as Enter does. */
static enum action action_of(const struct ui *ui, const struct view *v, const struct input *in)
{
    if (in->kind == INPUT_KEY)
        return inputs_find_action(ui, v, in->key);
    if (in->kind == INPUT_MOUSE && in->what == MOUSE_DOUBLE)
        return inputs_find_action(ui, v, KEYNAME_ENTER);
    return ACTION_NONE;
}

/* --- what is typed at once --- */

/* Do keys become text? */
static bool takes_text(const struct ui *ui)
{
    const struct dialog *d = dialogs_top(ui);
    return d ? d->kind == DIALOG_PROMPT || d->must_type
             : command_is_open(ui) || stack_takes_text(ui_view(ui));
}

static bool opens_line(const struct ui *ui, const struct input *in)
{
    if (dialogs_top(ui))
        return false;
    enum action action = inputs_find_action(ui, ui_view(ui), in->key);
    return action == ACTION_COMMAND || action == ACTION_FILTER || action == ACTION_FIND;
}

/* Keys without text that only affect the line. */
static bool edits_line(uint32_t key)
{
    return key == KEYNAME_ENTER || key == KEYNAME_TAB || key == KEYNAME_BACKSPACE || key == CTRL_KEY('u') ||
           key == CTRL_KEY('w');
}

static void paste_instead(struct ui *ui, uint32_t key)
{
    char text[] = {(char)key, '\0'};
    struct input in = {.kind = INPUT_PASTE, .text = text};
    app_input(ui, &in);
}

/* A terminal without bracketed paste sends a pasted text as keys. It is text if an input line is open; else
 * it must not run anything, except a first key that opens a line. Returns whether the key is to be taken as
 * one. */
static bool is_typed(struct ui *ui, const struct input *in)
{
    bool text = takes_text(ui);
    if (!in->burst) {
        ui->inputs->in_dropped_paste = false;
        return true;
    }
    if (ui->inputs->in_dropped_paste)
        return false;
    if (text && in->more && (in->key == KEYNAME_ENTER || in->key == KEYNAME_TAB)) {
        paste_instead(ui, in->key);
        return false;
    }
    if (text)
        return key_is_text(in->key) || edits_line(in->key);
    if (opens_line(ui, in))
        return true;
    ui->inputs->in_dropped_paste = true;
    ui_toast(ui, ROLE_WARN, tr("pasted text was ignored: no input line is open"));
    return false;
}

/* Ctrl-C closes a question or an input line, as Esc does. A second Ctrl-C confirms the question whether to
 * quit. */
static void interrupt(struct ui *ui)
{
    struct view *top = ui_view(ui);
    struct input esc = input_key(KEYNAME_ESC);
    uint64_t asked = dialogs_top_number(ui);
    if (later_undo(ui))
        return;
    if (asked ? asked != ui->inputs->quit_asked
              : command_is_open(ui) || (!top->ops->types && stack_takes_text(top))) {
        app_input(ui, &esc);
    } else if (!asked && top->ops == &help_view) {
        stack_pop(ui);
    } else if (asked || !top->ops->may_quit || top->ops->may_quit(top)) {
        outbox_wish(ui, WISH_QUIT);
    } else if (dialogs_top(ui)) {
        ui->inputs->quit_asked = dialogs_top_number(ui);
    }
}

static bool wants_undo(const struct ui *ui, const struct input *in)
{
    static const enum scope scope[] = {SCOPE_WAIT};
    return (later_until(ui).ns || reversal_is_offered(ui)) && in->kind == INPUT_KEY &&
           keymap_find(&ui->o.keys, scope, 1, in->key) == ACTION_UNDO;
}

static void settle(struct ui *ui, struct view *v, unsigned did)
{
    stack_did(ui, v, did);
    filter_line_follow(ui);
    frame_sync(ui);
    remember_view(ui, ui_view(ui));
}

/* An action of the view on top, else of the frame. did: what has been done with the input already. */
static void do_action(struct ui *ui, enum action action, const struct input *in, unsigned did)
{
    struct view *v = ui_view(ui);
    const char *why_not = engine_why_not(ui, action);
    if (why_not) {
        ui_toast(ui, ROLE_NORMAL, "%s", why_not);
        return;
    }
    if ((action == ACTION_CLOSE || action == ACTION_BACK) && side_panes_unzoom(ui)) {
        ui->dirty = true;
        return;
    }
    if (action == ACTION_CLOSE && stack_leave_visit(ui)) {
        frame_sync(ui);
        return;
    }
    if (action == ACTION_UNDO || action == ACTION_QUIT) {
        if (!later_undo(ui) && action == ACTION_QUIT)
            inputs_act(ui, action);
        return;
    }
    if (action)
        did |= v->ops->act(v, action, in);
    if (!(did & DID_HANDLE))
        inputs_act(ui, action);
    settle(ui, v, did);
}

/* A press on a place that is an action, and the menu of the row under the pointer. Returns whether the
 * input is used up. */
static bool take_mouse(struct ui *ui, const struct input *in)
{
    size_t arg = 0;
    struct input none = input_key(0), click = *in;
    struct view *v = ui_view(ui);
    if (in->what == MOUSE_CLICK || in->what == MOUSE_DOUBLE) {
        enum action action = hotspots_at(ui, in->y, in->x, &arg);
        if (action && arg)
            side_panes_act(ui, action, arg);
        else if (action)
            do_action(ui, action, &none, 0);
        if (action)
            return true;
    }
    if (side_panes_mouse(ui, in))
        return true;
    if (in->what == MOUSE_RIGHT) {
        click.what = MOUSE_CLICK;
        settle(ui, v, v->ops->input ? v->ops->input(v, &click) : 0);
        menu_open_at(ui, in->y, in->x);
        ui->dirty = true;
    }
    return in->what > MOUSE_WHEEL_DOWN;
}

static bool is_for_views_alone(const struct input *in)
{
    return in->kind == INPUT_MOUSE && in->what > MOUSE_WHEEL_DOWN;
}

void app_input(struct ui *ui, const struct input *in)
{
    frame_sync(ui);
    if (is_for_views_alone(in) && (dialogs_top(ui) || command_is_open(ui)))
        return;
    if (in->kind == INPUT_RESIZE) {
        ui->dirty = true;
        return;
    }
    if (in->kind == INPUT_KEY && !is_typed(ui, in))
        return;
    if (in->kind == INPUT_KEY && toast_get(ui))
        toast_clear(ui);
    if (in->kind == INPUT_KEY && in->key == CTRL_KEY('c')) {
        interrupt(ui);
        return;
    }
    if (dialogs_top(ui)) {
        dialogs_input(ui, in);
        frame_sync(ui);
        remember_view(ui, ui_view(ui));
        return;
    }
    if (command_is_open(ui)) {
        command_input(ui, in);
        frame_sync(ui);
        remember_view(ui, ui_view(ui));
        return;
    }
    if (in->kind == INPUT_MOUSE && take_mouse(ui, in))
        return;
    struct view *v = ui_view(ui);
    if (filter_line_input(ui, in))
        return;
    unsigned did = v->ops->input ? v->ops->input(v, in) : 0;
    if (!(did & DID_HANDLE) && wants_undo(ui, in)) { /* in an input line it is a letter */
        if (!later_undo(ui))
            reversal_run(ui, act_taken_back);
        return;
    }
    bool free_key = in->kind == INPUT_KEY && !(did & DID_HANDLE) && !v->ops->types && !action_of(ui, v, in);
    if (free_key && command_user_key(ui, in->key))
        return;
    if (did & DID_HANDLE)
        settle(ui, v, did);
    else
        do_action(ui, action_of(ui, v, in), in, did);
}

void inputs_replay(struct ui *ui)
{
    struct typed_keys keys = dialogs_take_typed(ui);
    vec_for_each (&keys, i) {
        struct input in = input_key(keys.v[i]);
        app_input(ui, &in);
    }
    vec_fini(&keys);
}

int app_view_fd(struct ui *ui)
{
    struct view *v = ui_view(ui);
    return v->ops->fd ? v->ops->fd(v) : -1;
}

void app_view_wake(struct ui *ui)
{
    struct view *v = ui_view(ui);
    if (v->ops->wake)
        stack_did(ui, v, v->ops->wake(v));
}
