/* window_form.c - the form of a window.
 *
 *      Start     18:00                      18:00, now+2hours, tomorrow, 2026-12-24T08:00
 *      Duration  2h                         2h, 90m, 1d
 *      ...
 *      maintenance on gpu[01-02] from 18:00 until 20:00
 *      R 6 train-resnet  bo
 *      1 job runs there and may still run when the window begins: it continues.
 */
#include "ui/dialogs/window_form.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "src/base/xalloc.h"
#include "src/jobspec/windowspec.h"
#include "src/lang/lang.h"
#include "src/values/hostlist.h"
#include "ui/dialogs/job_dialogs.h"
#include "ui/dialogs/window_confirm.h"
#include "ui/frame/stack.h"
#include "ui/text/view_text.h"
#include "ui/widget/pane.h"

#define LABEL      11
#define INPUT_MOST 44
#define HINT_FROM  24 /* cells that are worth a hint */

enum { START, DURATION, END, NODES, USERS, ACCOUNTS, REASON, NAME, FIELDS };

static const struct {
    const char *key, *label, *hint;
} fields[FIELDS] = {
    [START] = {"start", N_("Start"), N_("18:00, now+2hours, tomorrow, 2026-12-24T08:00")},
    [DURATION] = {"duration", N_("Duration"), "2h, 90m, 1d"},
    [END] = {"end", N_("or end"), N_("20:00, instead of a duration")},
    [NODES] = {"nodes", N_("Nodes"), N_("n[01-04],big or ALL")},
    [USERS] = {"users", N_("Users"), N_("ann,bo: reserved for them; empty: maintenance")},
    [ACCOUNTS] = {"accounts", N_("Accounts"), N_("reserved for their users")},
    [REASON] = {"reason", N_("Reason"), N_("shown to all users")},
    [NAME] = {"name", N_("Name"), N_("empty: generated")},
};

struct window_form {
    struct view v;
    uint64_t number; /* of this form: a question about it may outlive it */
    char *changes;   /* the name of the window; NULL: a new one */
    struct edit edits[FIELDS];
    size_t at; /* the field that is typed in */
    char *wrong[FIELDS];
    char *refused;   /* what is wrong with all of it; NULL: nothing */
    struct window w; /* as it is typed; whole where nothing is wrong */
    bool tried;      /* what is missing is told as well */
    bool waiting;    /* for the reply */
    struct pane jobs;
    int lines[FIELDS]; /* where the fields were drawn */
};

static struct window_form *window_form_of(struct view *v)
{
    return (struct window_form *)(void *)v;
}

static size_t window_form_fields(const struct window_form *f)
{
    return f->changes ? NAME : FIELDS; /* a window cannot be renamed */
}

/* --- what is typed --- */

static void window_form_set(struct window_form *f, struct windowspec *spec, size_t i)
{
    struct errtext err = {""};
    const char *value = f->edits[i].text.s;
    bool text = i == USERS || i == ACCOUNTS || i == REASON;
    xstrset(&f->wrong[i], NULL);
    if (!*value && !text)
        return;
    if (i == END && f->edits[DURATION].text.len)
        err_set(&err, -EINVAL, tr("give a duration or an end"));
    else if (windowspec_set(spec, fields[i].key, value, ui_now(f->v.ui), &err) == 0)
        return;
    f->wrong[i] = xstrdup(err.s);
}

/* Reads all fields again. Returns whether they make a window. */
static bool window_form_read(struct window_form *f)
{
    struct windowspec spec = {0};
    struct errtext err = {""};
    const struct window *old = f->changes ? model_get_window(ui_model(f->v.ui), f->changes) : NULL;
    bool good = true;
    if (old) {
        rec_copy(&window_rec, &spec.w, old);
        spec.maint = old->kind == WINDOW_MAINTENANCE && (old->users.n || old->accounts.n);
    }
    for (size_t i = 0; i < window_form_fields(f); i++) {
        window_form_set(f, &spec, i);
        good &= !f->wrong[i];
    }
    xstrset(&f->refused, NULL);
    if (f->changes && !old)
        f->refused = xstrdup(tr("the window has been deleted meanwhile"));
    else if (good && windowspec_finish(&spec, ui_now(f->v.ui), &err) < 0)
        f->refused = xstrdup(err.s);
    rec_fini(&window_rec, &f->w);
    f->w = spec.w;
    spec.w = (struct window){0};
    windowspec_fini(&spec);
    return good && !f->refused;
}

/* --- life --- */

/* It has a duration instead of an end, so that the end moves with the start. */
static void window_form_fill(struct window_form *f, const struct window *w)
{
    char start[WALL_TEXT_SIZE], length[32];
    int64_t s = wall_elapsed_s(w->start, w->end);
    char *nodes = hostlist_compress(&w->nodes), *users = strv_join(&w->users, ","),
         *accounts = strv_join(&w->accounts, ",");
    wall_format_iso(w->start, start);
    snprintf(length, sizeof length,
             s % 3600 == 0 ? "%lldh"
             : s % 60 == 0 ? "%lldm"
                           : "%llds",
             (long long)(s % 3600 == 0 ? s / 3600
                         : s % 60 == 0 ? s / 60
                                       : s));
    edit_set(&f->edits[START], start);
    edit_set(&f->edits[DURATION], length);
    edit_set(&f->edits[NODES], nodes);
    edit_set(&f->edits[USERS], users);
    edit_set(&f->edits[ACCOUNTS], accounts);
    edit_set(&f->edits[REASON], w->reason ? w->reason : "");
    free(nodes);
    free(users);
    free(accounts);
}

static struct view *windowform_open(struct ui *ui, const void *arg)
{
    const struct window_form_arg *a = arg;
    static const char *const begin[FIELDS] = {[START] = "now", [DURATION] = "2h"};
    struct window_form *f = xcalloc(1, sizeof *f);
    f->v = (struct view){.ops = &windowform_view, .ui = ui};
    f->number = (uint64_t)ui_mono(ui).ns;
    f->changes = a->changes ? xstrdup(a->changes->name) : NULL;
    for (size_t i = 0; i < FIELDS; i++) {
        edit_init(&f->edits[i]);
        edit_set(&f->edits[i], begin[i] ? begin[i] : "");
    }
    if (a->changes)
        window_form_fill(f, a->changes);
    else
        edit_set(&f->edits[NODES], a->nodes ? a->nodes : WINDOW_ALL_NODES);
    window_form_read(f);
    return &f->v;
}

static void windowform_close(struct view *v)
{
    struct window_form *f = window_form_of(v);
    for (size_t i = 0; i < FIELDS; i++) {
        edit_fini(&f->edits[i]);
        free(f->wrong[i]);
    }
    rec_fini(&window_rec, &f->w);
    pane_fini(&f->jobs);
    free(f->changes);
    free(f->refused);
    free(f);
}

static void windowform_sync(struct view *v)
{
    if (!window_form_of(v)->waiting)
        window_form_read(window_form_of(v));
}

static void windowform_title(struct view *v, struct rich *out)
{
    const struct window_form *f = window_form_of(v);
    rich_addf(out, ROLE_TITLE, f->changes ? tr("Window %s") : tr("New window"), f->changes);
    if (f->waiting)
        rich_add(out, ROLE_DIM, tr("  sent ..."));
}

/* --- sending --- */

static void window_form_answered(struct ui *ui, struct view *owner, uint64_t arg, const struct incoming *in)
{
    (void)arg;
    struct window_form *f = window_form_of(owner);
    const struct msg_result *r = in && in->kind == MSG_RESULT ? in->body : NULL;
    f->waiting = false;
    ui_changed(ui);
    if (!in) {
        xstrset(&f->refused, "the connection was lost: check whether the change was made");
    } else if (r && r->refusal) {
        xstrset(&f->refused, act_refusal(r));
    } else {
        const char *name = r && r->text ? r->text : tr("the window");
        ui_toast(ui, ROLE_GOOD, f->changes ? tr("changed: %s") : tr("created: %s"), name);
        ui_close(ui, owner);
    }
}

static void window_form_send(struct window_form *f)
{
    struct msg_window_set m = {.window = f->w, .update = f->changes != NULL};
    f->waiting = ui_send(f->v.ui, MSG_WINDOW_SET, &m, &f->v, window_form_answered, 0);
}

static void window_form_confirmed(struct ui *ui, const struct window *w, void *arg)
{
    (void)w;
    struct view *v = ui_view(ui);
    if (v->ops == &windowform_view && window_form_of(v)->number == *(const uint64_t *)arg)
        window_form_send(window_form_of(v));
}

/* A new one takes nodes away from their users: that is asked first. */
static void window_form_try(struct window_form *f)
{
    if (f->waiting)
        return;
    f->tried = true;
    if (!window_form_read(f)) {
        for (size_t i = FIELDS; i-- > 0;)
            f->at = f->wrong[i] ? i : f->at;
        return;
    }
    if (f->changes) {
        window_form_send(f);
        return;
    }
    windowask(f->v.ui, &f->w, window_form_confirmed, xmemdup(&f->number, sizeof f->number), free);
}

/* --- drawing --- */

static int window_form_draw_field(struct window_form *f, size_t i, struct canvas *c, struct rect r, int y)
{
    int x = r.x + 2 + LABEL, w = r.w - 4 - LABEL;
    bool on = f->at == i;
    w = w > INPUT_MOST ? INPUT_MOST : w;
    f->lines[i] = y;
    canvas_text(c, y, r.x + 2, on ? ROLE_STRONG : ROLE_LABEL, tr(fields[i].label), LABEL - 1);
    canvas_fill(c, rect_make(y, x, 1, w), ROLE_INPUT);
    if (on && !f->waiting)
        edit_draw(&f->edits[i], c, y, x, w);
    else
        canvas_text(c, y, x, ROLE_INPUT, f->edits[i].text.s, w);
    bool beside = r.x + r.w - x - w > HINT_FROM;
    if (beside)
        canvas_text(c, y, x + w + 2, ROLE_DIM, tr(fields[i].hint), r.x + r.w - x - w - 3);
    if (f->wrong[i] && (f->tried || !on))
        canvas_text(c, y + 1, x, ROLE_ERROR, f->wrong[i], r.w - 3 - LABEL);
    else if (on && !beside)
        canvas_text(c, y + 1, x, ROLE_DIM, tr(fields[i].hint), r.w - 3 - LABEL);
    else
        return 1;
    return 2;
}

/* What comes of it, or what is wrong with it, and whom it hits. */
static void window_form_fill_jobs(struct window_form *f)
{
    struct lines *l = &f->jobs.lines;
    bool good = !f->refused;
    for (size_t i = 0; i < window_form_fields(f); i++)
        good &= !f->wrong[i];
    lines_clear(l);
    if (f->refused) {
        lines_addf(l, ROLE_ERROR, "%s", f->refused);
        return;
    }
    if (!good)
        return;
    struct ui *ui = f->v.ui;
    struct str from = STR_INIT, to = STR_INIT;
    when_about(&from, f->w.start, ui_now(ui));
    when_about(&to, f->w.end, ui_now(ui));
    rich_addf(lines_add(l), ROLE_STRONG,
              f->w.kind == WINDOW_MAINTENANCE ? tr("maintenance from %s until %s")
                                              : tr("reservation from %s until %s"),
              from.s, to.s);
    str_fini(&from);
    str_fini(&to);
    windowask_lines(l, ui, &f->w);
}

static void windowform_draw(struct view *v, struct canvas *c, const struct screen_layout *l)
{
    struct window_form *f = window_form_of(v);
    struct rect r = l->body;
    int y = r.y + (r.h > FIELDS + 6);
    c->cur_y = c->cur_x = -1;
    for (size_t i = 0; i < FIELDS; i++)
        f->lines[i] = -1;
    for (size_t i = 0; i < window_form_fields(f) && y < r.y + r.h; i++)
        y += window_form_draw_field(f, i, c, r, y);
    y += r.h > FIELDS + 6;
    window_form_fill_jobs(f);
    if (y < r.y + r.h)
        pane_draw(&f->jobs, c, rect_make(y, r.x + 2, r.y + r.h - y, r.w - 4));
    v->ticks = true; /* "now" moves on */
}

/* --- keys --- */

static unsigned window_form_mouse(struct window_form *f, const struct input *in)
{
    for (size_t i = 0; i < window_form_fields(f) && in->what == MOUSE_CLICK; i++)
        if (f->lines[i] == in->y) {
            f->at = i;
            return DID_HANDLE | DID_REDRAW;
        }
    return DID_HANDLE;
}

static unsigned windowform_input(struct view *v, const struct input *in)
{
    struct window_form *f = window_form_of(v);
    size_t n = window_form_fields(f);
    uint32_t key = in->kind == INPUT_KEY ? in->key : 0;
    if (in->kind == INPUT_MOUSE)
        return window_form_mouse(f, in);
    if (f->waiting && key != KEYNAME_ESC)
        return DID_HANDLE;
    if (key == CTRL_KEY('s'))
        return 0;
    if (key == KEYNAME_ENTER && f->at + 1 == n)
        window_form_try(f);
    else if (key == KEYNAME_DOWN || key == KEYNAME_TAB || key == KEYNAME_ENTER)
        f->at = (f->at + 1) % n;
    else if (key == KEYNAME_UP || key == KEYNAME_STAB)
        f->at = (f->at + n - 1) % n;
    else if (edit_input(&f->edits[f->at], in))
        window_form_read(f);
    else
        return 0;
    return DID_HANDLE | DID_REDRAW;
}

static unsigned windowform_act(struct view *v, enum action a, const struct input *in)
{
    (void)in;
    if (a != ACTION_WINDOW_SEND)
        return 0;
    window_form_try(window_form_of(v));
    return DID_HANDLE | DID_REDRAW;
}

static const char *windowform_label(struct view *v, enum action a)
{
    return a == ACTION_WINDOW_SEND && window_form_of(v)->changes ? tr("change") : NULL;
}

static const enum scope scopes[] = {SCOPE_WINDOW_FORM};

const struct view_ops windowform_view = {
    .name = "window",
    .scopes = scopes,
    .n_scopes = sizeof scopes / sizeof scopes[0],
    .types = true,
    .open = windowform_open,
    .close = windowform_close,
    .sync = windowform_sync,
    .title = windowform_title,
    .draw = windowform_draw,
    .input = windowform_input,
    .act = windowform_act,
    .label = windowform_label,
};
