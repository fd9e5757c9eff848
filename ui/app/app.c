/* app.c - the frame: inputs go to the topmost thing, changes to the views, the picture comes from the
 * current state. */
#include "ui/app/app.h"

#include <stdlib.h>
#include <string.h>

#include "src/base/texts.h"
#include "src/base/utf8.h"
#include "src/base/xalloc.h"
#include "ui/app/private.h"
#include "ui/app/settings.h"
#include "ui/view/submit.h"

#define TOAST_MS       4000
#define TOAST_ERROR_MS 9000

struct ui *app_new(const struct app_options *o)
{
    struct ui *a = xcalloc(1, sizeof *a);
    a->o = *o;
    a->o.gpu_idle_flag_s = o->gpu_idle_flag_s ? o->gpu_idle_flag_s : SETTINGS_GPU_IDLE_S;
    a->mouse_on = true;
    a->dirty = true;
    a->next_number = 1;
    a->m = xcalloc(1, sizeof *a->m);
    model_init(a->m);
    a->texts = texts_new();
    model_share_texts(a->m, a->texts);
    edit_init(&a->cmd.edit);
    a->cmd.chosen = -1;
    a->roots[0] = screens[0]->open(a, NULL);
    remember_restore(a, a->roots[0]);
    return a;
}

static void view_close(struct ui *a, struct view *v)
{
    link_forget(a, v);
    aside_forget(a, v);
    v->ops->close(v);
}

static void dialog_drop(struct ui *a, size_t i)
{
    struct open_dialog od = a->dialogs.v[i];
    vec_remove(&a->dialogs, i);
    dialog_free(od.d);
    if (od.free_arg)
        od.free_arg(od.arg);
}

void app_free(struct ui *a)
{
    if (!a)
        return;
    while (a->dialogs.n)
        dialog_drop(a, a->dialogs.n - 1);
    while (a->pushed.n)
        view_close(a, a->pushed.v[--a->pushed.n]);
    for (size_t i = 0; i < sizeof a->roots / sizeof a->roots[0]; i++)
        if (a->roots[i])
            view_close(a, a->roots[i]);
    aside_fini(a);
    link_drop_utils(a);
    past_fini(&a->past);
    vec_for_each (&a->story, i)
        event_fini(&a->story.v[i]);
    vec_fini(&a->pushed);
    vec_fini(&a->dialogs);
    vec_fini(&a->asked);
    vec_fini(&a->story);
    rec_fini(&msg_welcome_rec, &a->welcome);
    struct model *models[] = {a->m, a->next};
    for (size_t i = 0; i < 2; i++) {
        if (models[i])
            model_fini(models[i]);
        free(models[i]);
    }
    texts_unref(a->texts);
    free(a->why_lost);
    free(a->connecting);
    free(a->copied);
    free(a->title);
    strv_fini(&a->program);
    str_fini(&a->program_where);
    later_undo(a);
    command_close(a);
    vec_fini(&a->cmd.candidates);
    edit_fini(&a->cmd.edit);
    vec_fini(&a->watched);
    changes_clear(a);
    free(a->toast);
    free(a);
}

void app_set_time(struct ui *a, struct wall now, struct mono mono)
{
    a->now = now;
    a->mono = mono;
}

struct view *app_view(const struct ui *a)
{
    return a->pushed.n ? a->pushed.v[a->pushed.n - 1] : a->roots[a->root];
}

/* --- what views know --- */

const struct model *ui_model(const struct ui *a)
{
    return a->m;
}

bool ui_has_data(const struct ui *a)
{
    return a->has_data;
}

struct wall ui_now(const struct ui *a)
{
    return a->now;
}

struct mono ui_mono(const struct ui *a)
{
    return a->mono;
}

const char *ui_config_dir(const struct ui *a)
{
    return a->o.config_dir;
}

const char *ui_cwd(const struct ui *a)
{
    return a->o.cwd;
}

uint32_t ui_uid(const struct ui *a)
{
    return a->welcome.uid;
}

bool ui_is_admin(const struct ui *a)
{
    return a->welcome.admin;
}

bool ui_ascii(const struct ui *a)
{
    return a->o.ascii;
}

const struct keymap *ui_keymap(const struct ui *a)
{
    return &a->o.keys;
}

bool ui_threads(const struct ui *a)
{
    return a->o.threads;
}

void ui_story(const struct ui *a, uint32_t job, void (*each)(void *arg, const struct event *ev), void *arg)
{
    vec_for_each (&a->story, i)
        if (a->story.v[i].job == job)
            each(arg, &a->story.v[i]);
}

/* --- changes --- */

/* Before anything looks at rows: those of before the change hold pointers that are void. */
static void sync_views(struct ui *a)
{
    if (!a->changed)
        return;
    a->changed = false;
    a->dirty = true;
    totals_count(&a->totals, a);
    watch_look(a);
    /* Only what is seen, and what it will come back to: the others are brought up when they are shown. */
    for (size_t i = 0; i < sizeof a->roots / sizeof a->roots[0]; i++)
        a->behind[i] = i != a->root;
    a->roots[a->root]->ops->sync(a->roots[a->root]);
    vec_for_each (&a->pushed, i)
        a->pushed.v[i]->ops->sync(a->pushed.v[i]);
    changes_clear(a);
}

void app_changed(struct ui *a)
{
    changes_all(a);
    a->changed = true;
    a->dirty = true;
}

struct model *app_model(struct ui *a)
{
    return a->m;
}

void app_take_model(struct ui *a, struct model *m)
{
    model_fini(a->m);
    free(a->m);
    a->m = m;
    a->has_data = true;
    app_changed(a);
}

/* --- views and dialogs --- */

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

static void pop_view(struct ui *a)
{
    if (!a->pushed.n)
        return;
    view_close(a, a->pushed.v[--a->pushed.n]);
    shown_changed(a);
}

static void show_screen(struct ui *a, size_t i)
{
    while (a->pushed.n)
        pop_view(a);
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

void ui_close(struct ui *a, struct view *v)
{
    if (!a->pushed.n || a->pushed.v[a->pushed.n - 1] != v)
        return;
    for (size_t i = a->dialogs.n; i-- > 0;) /* what it had asked means nothing without it */
        if (a->dialogs.v[i].number != a->doing)
            dialog_drop(a, i);
    pop_view(a);
}

void ui_go(struct ui *a, const char *screen, const char *filter)
{
    for (size_t i = 0; i < screens_count(); i++) {
        if (!str_eq(screens[i]->name, screen))
            continue;
        show_screen(a, i);
        struct table *t = screens[i]->table(a->roots[i]);
        table_set_filter(t, filter);
        remember_view(a, a->roots[i]);
    }
}

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

void ui_toast(struct ui *a, enum role role, const char *fmt, ...)
{
    struct str s = STR_INIT;
    va_list ap;
    va_start(ap, fmt);
    str_vappendf(&s, fmt, ap);
    va_end(ap);
    free(a->toast);
    a->toast = str_take(&s);
    a->toast_role = role;
    a->toast_until = mono_add_ms(a->mono, role == ROLE_ERROR ? TOAST_ERROR_MS : TOAST_MS);
    a->dirty = true;
}

void ui_changed(struct ui *a)
{
    a->dirty = true;
}

void ui_copy(struct ui *a, const char *text, const char *what)
{
    free(a->copied);
    a->copied = xstrdup(text);
    a->wishes |= APP_COPY;
    ui_toast(a, ROLE_GOOD, "copied %s", what);
}

const char *app_copied(const struct ui *a)
{
    return a->copied;
}

const struct strv *app_program(const struct ui *a)
{
    return &a->program;
}

const char *app_program_where(const struct ui *a)
{
    return a->program_where.s;
}

void ui_run(struct ui *a, const char *where, struct strv *take_argv)
{
    str_clear(&a->program_where);
    cell_text(&a->program_where, where, -1, false, a->o.ascii);
    strv_fini(&a->program);
    a->program = *take_argv;
    *take_argv = (struct strv){0};
    a->wishes |= APP_RUN;
}

const char *app_title(const struct ui *a)
{
    return a->title;
}

void app_say(struct ui *a, enum role role, const char *text)
{
    ui_toast(a, role, "%s", text);
}

const char *ui_read_only(struct ui *a, bool say)
{
    const char *why =
        a->o.read_only ? "nothing can be changed: started with --read-only" : a->welcome.read_only;
    if (why && say)
        ui_toast(a, ROLE_WARN, "%s", why);
    return why;
}

/* --- inputs --- */

static void dialog_gets(struct ui *a, const struct input *in)
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

static void toggle_freeze(struct ui *a)
{
    a->frozen = !a->frozen;
    a->dirty = true;
    if (!a->frozen && a->missed)
        link_resync(a);
}

/* What was confirmed is done before one leaves. */
void app_quit(struct ui *a)
{
    later_run(a);
    a->wishes |= APP_QUIT;
}

static void go_back(struct ui *a)
{
    if (a->pushed.n)
        pop_view(a);
    else
        app_quit(a);
}

/* --- the menu of everything --- */

static void take_bits(struct ui *a, const struct view *v, unsigned did)
{
    if (did & DID_REDRAW)
        a->dirty = true;
    if (did & DID_LEAVE && a->pushed.n && a->pushed.v[a->pushed.n - 1] == v)
        pop_view(a);
}

struct deed_menu {
    enum action actions[ACTION_N];
};

static void menu_chosen(struct ui *a, struct dialog *d, enum dialog_outcome outcome, void *arg)
{
    const struct deed_menu *m = arg;
    struct view *v = app_view(a);
    struct input none = input_key(0);
    if (outcome == DIALOG_YES)
        take_bits(a, v, v->ops->act(v, m->actions[dialog_choice(d)], &none));
}

/* What moves is left out: nobody looks for it in a menu. */
static void open_menu(struct ui *a)
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

void app_act(struct ui *a, enum action action)
{
    int screen = screen_of_action(action);
    if (screen >= 0)
        show_screen(a, (size_t)screen);
    else if (action == ACTION_HELP)
        help_open(a);
    else if (action == ACTION_SUBMIT)
        submit_open(a, NULL);
    else if (action == ACTION_COMMAND)
        command_open(a, "");
    else if (action == ACTION_MENU)
        open_menu(a);
    else if (action == ACTION_BACK)
        go_back(a);
    else if (action == ACTION_CLOSE)
        pop_view(a);
    else if (action == ACTION_RESYNC)
        link_resync(a);
    else if (action == ACTION_REDRAW)
        a->wishes |= APP_REDRAW;
    else if (action == ACTION_FREEZE)
        toggle_freeze(a);
    else if (action == ACTION_SUSPEND)
        a->wishes |= APP_SUSPEND;
    else if (action == ACTION_QUIT)
        app_quit(a);
    else if (action == ACTION_MOUSE) {
        a->mouse_on = !a->mouse_on;
        a->wishes |= APP_MOUSE;
        ui_toast(a, ROLE_NORMAL, a->mouse_on ? "mouse on" : "mouse off: the terminal selects text");
    } else
        return;
    a->dirty = true;
}

#define SCOPES_MAX 8

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
    sync_views(a);
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
        if (!later_undo(a))
            a->wishes |= APP_QUIT;
        return;
    }
    if (a->dialogs.n) {
        dialog_gets(a, in);
        sync_views(a);
        remember_view(a, app_view(a));
        return;
    }
    if (a->cmd.open) {
        command_input(a, in);
        sync_views(a);
        remember_view(a, app_view(a));
        return;
    }
    struct view *v = app_view(a);
    if (wants_undo(a, in)) {
        later_undo(a);
        return;
    }
    unsigned did = v->ops->input ? v->ops->input(v, in) : 0;
    if (!(did & DID_HANDLE)) {
        enum action action = action_of(a, v, in);
        if (action)
            did |= v->ops->act(v, action, in);
        if (!(did & DID_HANDLE))
            app_act(a, action);
    }
    take_bits(a, v, did);
    sync_views(a);
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
        take_bits(a, v, v->ops->wake(v));
}

bool app_work(struct ui *a)
{
    struct view *v = app_view(a);
    struct table *t = v->ops->table ? v->ops->table(v) : NULL;
    bool shown = false, filtering = t && table_work(t, &shown);
    bool more = v->ops->work && v->ops->work(v);
    if (more || shown)
        a->dirty = true;
    return more || filtering;
}

/* --- pictures --- */

bool app_is_dirty(const struct ui *a)
{
    return a->dirty;
}

void app_draw(struct ui *a, struct canvas *c)
{
    sync_views(a);
    a->dirty = false;
    c->ascii = a->o.ascii;
    frame_draw(a, c);
}

static int64_t until_ms(const struct ui *a, struct mono t)
{
    int64_t ms = (t.ns - a->mono.ns) / NS_PER_MS + 1;
    return ms < 0 ? 0 : ms;
}

int app_next_ms(const struct ui *a)
{
    int64_t next = -1;
    const struct view *v = app_view(a);
    if ((v->ticks && !a->frozen) || (a->was_online && !a->online))
        next = 1000 - a->now.ms % 1000; /* on the second: the times of all rows change together */
    if (a->toast) {
        int64_t t = until_ms(a, a->toast_until);
        next = next < 0 || t < next ? t : next;
    }
    if (v->due.ns) {
        int64_t t = until_ms(a, v->due);
        next = next < 0 || t < next ? t : next;
    }
    if (wall_is_set(a->totals.edge)) {
        int64_t t = a->totals.edge.ms - a->now.ms;
        t = t < 1 ? 1 : t;
        next = next < 0 || t < next ? t : next;
    }
    if (a->later.fn) { /* its line counts the seconds */
        int64_t t = until_ms(a, a->later.until);
        t = t > 1000 ? t % 1000 + 1 : t;
        next = next < 0 || t < next ? t : next;
    }
    return (int)(next > INT32_MAX ? INT32_MAX : next);
}

void app_tick(struct ui *a)
{
    if (a->toast && a->mono.ns >= a->toast_until.ns) {
        free(a->toast);
        a->toast = NULL;
    }
    if (a->later.fn && a->mono.ns >= a->later.until.ns)
        later_run(a);
    if (wall_is_set(a->totals.edge) && a->now.ms >= a->totals.edge.ms)
        app_changed(a);
    struct view *v = app_view(a);
    if (v->due.ns && a->mono.ns >= v->due.ns) {
        v->due = (struct mono){0};
        v->ops->timer(v);
    }
    a->dirty = true;
}

unsigned app_take_wishes(struct ui *a)
{
    unsigned w = a->wishes;
    a->wishes = 0;
    return w;
}
