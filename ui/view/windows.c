/* windows.c - windows on the screens: their words, the menu, the line that makes one.
 *
 *      menu --new--> line "start=now duration=2h reason=" --> WINDOW_SET --> refused: the line again
 *        |
 *        +--a window--> box with all of it --Enter--> deleted
 *
 * They stand in the mirror like nodes do, and changes to them are pushed: nothing is asked for here.
 */
#include "ui/view/windows.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "src/base/hostlist.h"
#include "src/base/units.h"
#include "src/base/xalloc.h"
#include "src/jobspec/windowspec.h"
#include "src/model/nodetext.h"
#include "ui/view/act.h"
#include "ui/view/words.h"

#define LABEL 10

/* --- what is said of them --- */

const struct window *windows_of_node(const struct ui *ui, const struct node *n)
{
    return window_in_way(ui_model(ui), n->spec.name, NULL, ui_now(ui),
                         wall_add_s(ui_now(ui), WINDOW_SOON_S));
}

static bool has_begun(const struct ui *ui, const struct window *w)
{
    return w->start.ms <= ui_now(ui).ms;
}

bool windows_node_is_out(const struct ui *ui, const struct node *n)
{
    const struct window *w = node_is_out(n) ? NULL : windows_of_node(ui, n);
    return node_is_out(n) || (w && has_begun(ui, w));
}

void windows_node_sign(struct field *f, const struct ui *ui, const struct node *n)
{
    bool kept = !node_is_out(n) && !n->n_jobs && windows_node_is_out(ui, n);
    enum role role = kept ? ROLE_NODE_OUT : node_role(n);
    rich_addf(&f->text, role, "%c", kept ? '#' : node_glyph(n));
    f->has_num = true;
    f->num = role;
}

static char *whose(const struct window *w)
{
    char *users = strv_join(&w->users, ", "), *accounts = strv_join(&w->accounts, ", ");
    char *all = xasprintf("%s%s%s", users, *users && *accounts ? ", " : "", accounts);
    free(users);
    free(accounts);
    return all;
}

void windows_words(struct rich *r, const struct ui *ui, const struct window *w)
{
    char b[UNITS_TEXT_SIZE], *who = whose(w);
    bool maintenance = w->kind == WINDOW_MAINTENANCE;
    rich_addf(r, ROLE_WARN, "%s%s ", maintenance ? "maintenance" : "kept for ", maintenance ? "" : who);
    if (has_begun(ui, w)) {
        str_append(&r->text, "until ");
        when_about(&r->text, w->end, ui_now(ui));
    } else {
        str_appendf(&r->text, "in %s", duration_format_words(wall_elapsed_s(ui_now(ui), w->start), b));
    }
    rich_role(r, ROLE_WARN);
    if (!str_is_empty(w->reason))
        rich_addf(r, ROLE_NORMAL, ": %s", w->reason);
    free(who);
}

/* --- asking the controller --- */

struct making {
    char *nodes, *words, *wrong; /* wrong: what was not right about the words */
};

static void making_free(void *p)
{
    struct making *m = p;
    free(m->nodes);
    free(m->words);
    free(m->wrong);
    free(m);
}

static void answered(struct ui *ui, struct view *owner, uint64_t removed, const struct incoming *in)
{
    (void)owner;
    const struct msg_result *r = in ? in->body : NULL;
    const char *verb = removed ? "delete the window" : "make the window";
    if (!in)
        ui_toast(ui, ROLE_ERROR, "%s: the connection was lost, look whether it was done", verb);
    else if (in->kind == MSG_RESULT && r->refusal)
        act_show_refusal(ui, verb, r);
    else
        ui_toast(ui, ROLE_GOOD, removed ? "deleted: %s" : "made: %s",
                 in->kind == MSG_RESULT && r->text ? r->text : "the window");
}

/* A word without "key=" goes on with the value before it: a reason has blanks. */
static int read_words(struct windowspec *spec, const char *words, struct wall now, struct errtext *err)
{
    struct strv list = strv_split(words, " ");
    struct str key = STR_INIT, value = STR_INIT;
    int rc = 0;
    for (size_t i = 0; i <= list.n && rc == 0; i++) {
        const char *word = i < list.n ? list.v[i] : NULL, *equals = word ? strchr(word, '=') : NULL;
        if (word && !equals && !key.len) {
            rc = err_set(err, -EINVAL, "'%s': write start=18:00 duration=2h reason=TEXT", word);
        } else if (word && !equals) {
            str_appendf(&value, "%s%s", value.len ? " " : "", word);
        } else {
            if (key.len && value.len)
                rc = windowspec_set(spec, key.s, value.s, now, err);
            str_clear(&key);
            str_clear(&value);
            str_append_n(&key, word ? word : "", equals ? (size_t)(equals - word) : 0);
            str_append(&value, equals ? equals + 1 : "");
        }
    }
    strv_fini(&list);
    str_fini(&key);
    str_fini(&value);
    return rc ? rc : windowspec_finish(spec, now, err);
}

static void ask_words(struct ui *ui, struct making *take_m);

static void make(struct ui *ui, struct making *take_m)
{
    struct windowspec spec = {0};
    struct errtext err = {""};
    strv_push(&spec.w.nodes, take_m->nodes);
    if (read_words(&spec, take_m->words, ui_now(ui), &err) < 0) {
        free(take_m->wrong);
        take_m->wrong = xstrdup(err.s);
        ask_words(ui, take_m);
    } else {
        struct msg_window_set m = {.window = spec.w};
        ui_send(ui, MSG_WINDOW_SET, &m, NULL, answered, 0);
        making_free(take_m);
    }
    windowspec_fini(&spec);
}

static void words_typed(struct ui *ui, struct dialog *d, enum dialog_outcome outcome, void *arg)
{
    const struct making *m = arg;
    if (outcome != DIALOG_YES)
        return;
    struct making *next = xcalloc(1, sizeof *next); /* the dialog frees its own */
    *next = (struct making){.nodes = xstrdup(m->nodes), .words = xstrdup(d->edit.text.s)};
    make(ui, next);
}

static void ask_words(struct ui *ui, struct making *take_m)
{
    char *title = xasprintf("a window on %s", take_m->nodes);
    struct dialog *d = dialog_new(DIALOG_PROMPT, title);
    struct lines *l = &d->body.lines;
    free(title);
    if (take_m->wrong)
        lines_addf(l, ROLE_ERROR, "%s", take_m->wrong);
    lines_addf(l, ROLE_NORMAL, "No job starts there that would still run when it begins.");
    lines_addf(l, ROLE_DIM,
               "start=18:00, now+2hours, 2026-12-24T08:00; duration=2h or end=...; users=ann,bo "
               "keeps the nodes for them; name=...");
    d->verb = xstrdup("make it");
    edit_set(&d->edit, take_m->words ? take_m->words : "start=now duration=2h reason=");
    ui_take_dialog(ui, d, words_typed, take_m, making_free);
}

void windows_make(struct ui *ui, const char *nodes, const char *words)
{
    if (ui_read_only(ui, true))
        return;
    struct making *m = xcalloc(1, sizeof *m);
    m->nodes = xstrdup(nodes);
    m->words = str_is_empty(words) ? NULL : xstrdup(words);
    if (m->words)
        make(ui, m);
    else
        ask_words(ui, m);
}

/* --- one of them --- */

static void deleted(struct ui *ui, struct dialog *d, enum dialog_outcome outcome, void *arg)
{
    (void)d;
    struct msg_window_set m = {.window.name = arg, .remove = true};
    if (outcome == DIALOG_YES && !ui_read_only(ui, true))
        ui_send(ui, MSG_WINDOW_SET, &m, NULL, answered, true);
}

static void pair_when(struct lines *l, const struct ui *ui, const char *label, struct wall t)
{
    struct rich *r = lines_pair(l, label, LABEL);
    when_about(&r->text, t, ui_now(ui));
    rich_role(r, ROLE_NORMAL);
}

void windows_show(struct ui *ui, const struct window *w)
{
    bool may = ui_is_admin(ui) && !ui_read_only(ui, false);
    struct dialog *d = dialog_new(may ? DIALOG_CONFIRM : DIALOG_TEXT, w->name);
    struct lines *l = &d->body.lines;
    char *nodes = hostlist_compress(&w->nodes), *who = whose(w);
    windows_words(lines_add(l), ui, w);
    lines_add(l);
    rich_add(lines_pair(l, "nodes", LABEL), ROLE_NORMAL, nodes);
    pair_when(l, ui, "from", w->start);
    pair_when(l, ui, "to", w->end);
    if (*who)
        rich_add(lines_pair(l, "for", LABEL), ROLE_NORMAL, who);
    struct rich *r = lines_pair(l, "made by", LABEL);
    rich_addf(r, ROLE_NORMAL, "%s ", w->user ? w->user : "?");
    when_text(&r->text, w->t_made, ui_now(ui));
    rich_role(r, ROLE_DIM);
    if (may)
        d->verb = xstrdup("delete it");
    d->danger = may;
    ui_take_dialog(ui, d, may ? deleted : NULL, xstrdup(w->name), free);
    free(nodes);
    free(who);
}

/* --- the menu --- */

struct offered {
    char *nodes;
    struct strv names; /* of the windows, as they stood when the menu was opened */
};

static void offered_free(void *p)
{
    struct offered *o = p;
    free(o->nodes);
    strv_fini(&o->names);
    free(o);
}

static void chosen(struct ui *ui, struct dialog *d, enum dialog_outcome outcome, void *arg)
{
    const struct offered *o = arg;
    size_t i = outcome == DIALOG_YES ? dialog_choice(d) : 0;
    if (outcome != DIALOG_YES)
        return;
    if (o->nodes && i-- == 0) {
        windows_make(ui, o->nodes, NULL);
        return;
    }
    const struct window *w = i < o->names.n ? model_get_window(ui_model(ui), o->names.v[i]) : NULL;
    if (w)
        windows_show(ui, w);
    else
        ui_toast(ui, ROLE_NORMAL, "that window has gone meanwhile");
}

static char *menu_line(const struct ui *ui, const struct window *w)
{
    struct rich r;
    struct str s = STR_INIT;
    char *nodes = hostlist_compress(&w->nodes);
    rich_init(&r);
    windows_words(&r, ui, w);
    str_appendf(&s, "%-14s %-16s %s", w->name, nodes, r.text.s);
    rich_fini(&r);
    free(nodes);
    return str_take(&s);
}

void windows_open(struct ui *ui, const char *nodes)
{
    const struct model *m = ui_model(ui);
    bool may = nodes && ui_is_admin(ui) && !ui_read_only(ui, false);
    if (!may && !m->windows.n) {
        ui_toast(ui, ROLE_NORMAL, "no windows: all nodes are for everybody");
        return;
    }
    struct dialog *d = dialog_new(DIALOG_MENU, "windows");
    struct offered *o = xcalloc(1, sizeof *o);
    if (may) {
        o->nodes = xstrdup(nodes);
        strv_push_take(&d->items, xasprintf("a new one on %s", nodes));
    }
    for (size_t i = 0; i < m->windows.n; i++) {
        strv_push(&o->names, m->windows.v[i].name);
        strv_push_take(&d->items, menu_line(ui, &m->windows.v[i]));
    }
    d->verb = xstrdup("open");
    ui_take_dialog(ui, d, chosen, o, offered_free);
}
