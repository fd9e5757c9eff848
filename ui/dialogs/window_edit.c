/* window_edit.c - windows are made, changed and deleted.
 *
 *      words --> windowspec --> WINDOW_SET --> done
 *        ^           |               |
 *        |           v               v
 *        +------ the box with the line and what is wrong with it: the one it was typed in, or a new one
 *
 *      no words --> window_form.c
 */
#include "ui/dialogs/window_edit.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "src/base/words.h"
#include "src/base/xalloc.h"
#include "src/jobspec/windowspec.h"
#include "src/lang/lang.h"
#include "src/values/hostlist.h"
#include "ui/dialogs/job_dialogs.h"
#include "ui/dialogs/window_confirm.h"
#include "ui/dialogs/window_form.h"
#include "ui/info/window_text.h"

#define NEAR 2 /* changed letters at most in a misspelt key */

struct window_line {
    char *changes; /* the name of the window; NULL: a new one */
    char *nodes;   /* of a new one; NULL: the words name them */
    char *words;
    uint64_t dialog; /* the dialog of the input; 0: the command line */
};

static void line_free(void *p)
{
    struct window_line *l = p;
    free(l->changes);
    free(l->nodes);
    free(l->words);
    free(l);
}

static char *copy_or_null(const char *s)
{
    return s ? xstrdup(s) : NULL;
}

static struct window_line *line_new(const char *changes, const char *nodes, const char *words)
{
    struct window_line *l = xcalloc(1, sizeof *l);
    l->changes = copy_or_null(changes);
    l->nodes = copy_or_null(nodes);
    l->words = copy_or_null(words);
    return l;
}

static bool window_edit_may(struct ui *ui)
{
    if (!ui_is_admin(ui))
        ui_toast(ui, ROLE_ERROR, tr("only administrators can create, change and delete windows"));
    return ui_is_admin(ui) && !ui_read_only(ui, true);
}

/* --- reading the words --- */

static const char *const known[] = {
#define X(name, help) name,
    WINDOWLINE_KEYS(X)
#undef X
};

#define N_KNOWN (sizeof known / sizeof known[0])

static int complain_key(const char *key, struct errtext *err)
{
    struct str all = STR_INIT;
    for (size_t i = 0; i < N_KNOWN; i++) {
        if (words_distance(key, known[i]) <= NEAR) {
            str_fini(&all);
            return err_set(err, -EINVAL, tr("there is no '%s='; did you mean '%s='?"), key, known[i]);
        }
        str_appendf(&all, "%s%s", all.len ? ", " : "", known[i]);
    }
    int rc = err_set(err, -EINVAL, tr("there is no '%s='; there are %s"), key, all.s);
    str_fini(&all);
    return rc;
}

/* A reason may contain "=": "load=9 since June". */
static bool begins_pair(const char *word, const char *equals, bool in_reason)
{
    bool is = equals && !in_reason;
    for (size_t i = 0; equals && i < N_KNOWN && !is; i++)
        is = strlen(known[i]) == (size_t)(equals - word) &&
             strncasecmp(word, known[i], strlen(known[i])) == 0;
    return is;
}

struct given {
    bool start, length; /* length: a duration or an end */
    bool name;
};

static int set_word(struct windowspec *spec, const char *key, const char *value, struct wall now,
                    struct given *given, struct errtext *err)
{
    struct errtext why = {""};
    bool text = str_ieq(key, "reason") || str_ieq(key, "users") || str_ieq(key, "accounts");
    int rc = !text && !*value ? err_set(&why, -EINVAL, tr("no value after '='"))
                              : windowspec_set(spec, key, value, now, &why);
    if (rc == -ENOENT)
        return complain_key(key, err);
    if (rc < 0)
        return err_set(err, rc, "%s=%s: %s", key, value, why.s);
    given->start |= word_begins("start", key, 5);
    given->length |= str_ieq(key, "duration") || word_begins("end", key, 3);
    given->name |= str_ieq(key, "name") || word_begins("reservation", key, 11);
    return 0;
}

/* A word without "key=" continues the value before it: a reason has blanks. */
static int read_words(struct windowspec *spec, const char *words, struct wall now, struct given *given,
                      struct errtext *err)
{
    struct strv list = strv_split(words, " ");
    struct str key = STR_INIT, value = STR_INIT;
    int rc = 0;
    for (size_t i = 0; i <= list.n && rc == 0; i++) {
        const char *word = i < list.n ? list.v[i] : NULL, *equals = word ? strchr(word, '=') : NULL;
        bool pair = word && begins_pair(word, equals, str_ieq(key.s, "reason"));
        if (word && !pair && !key.len) {
            rc = err_set(err, -EINVAL, tr("'%s': write start=18:00 duration=2h reason=TEXT"), word);
        } else if (word && !pair) {
            str_appendf(&value, "%s%s", value.len ? " " : "", word);
        } else {
            if (key.len)
                rc = set_word(spec, key.s, value.s, now, given, err);
            str_clear(&key);
            str_clear(&value);
            str_append_n(&key, word ? word : "", equals ? (size_t)(equals - word) : 0);
            str_append(&value, equals ? equals + 1 : "");
        }
    }
    strv_fini(&list);
    str_fini(&key);
    str_fini(&value);
    return rc;
}

/* The old window with the changes of the words. */
static int read_change(struct windowspec *spec, const struct window *old, const char *words,
                       struct wall now, struct errtext *err)
{
    struct given given = {.name = false};
    rec_copy(&window_rec, &spec->w, old);
    bool named = old->users.n || old->accounts.n;
    spec->maint = named && old->kind == WINDOW_MAINTENANCE; /* else the named users decide the kind */
    int rc = read_words(spec, words, now, &given, err);
    if (rc == 0 && given.name && !str_eq(spec->w.name, old->name))
        rc = err_set(err, -EINVAL, tr("a window cannot be renamed: create a new one and delete this one"));
    if (rc == 0 && given.start && !given.length)
        spec->w.end = wall_add_s(spec->w.start, wall_elapsed_s(old->start, old->end));
    return rc ? rc : windowspec_finish(spec, now, err);
}

static int read_new(struct windowspec *spec, const struct window_line *l, struct wall now,
                    struct errtext *err)
{
    struct given given = {.name = false};
    if (l->nodes)
        strv_push(&spec->w.nodes, l->nodes);
    int rc = read_words(spec, l->words, now, &given, err);
    return rc ? rc : windowspec_finish(spec, now, err);
}

/* --- asking for the words --- */

static void try_words(struct ui *ui, struct window_line *take_l);

static void words_typed(struct ui *ui, struct dialog *d, enum dialog_outcome outcome, void *arg)
{
    const struct window_line *l = arg;
    if (outcome != DIALOG_YES)
        return;
    struct window_line *next = line_new(l->changes, l->nodes, d->edit.text.s);
    next->dialog = ui_keep_dialog(ui);
    try_words(ui, next);
}

/* wrong: the error in the present words; NULL: none. */
static void ask_words(struct ui *ui, struct window_line *take_l, const char *wrong)
{
    char *title = take_l->changes ? xasprintf(tr("change the window %s"), take_l->changes)
                  : take_l->nodes ? xasprintf(tr("a window on %s"), take_l->nodes)
                                  : xstrdup(tr("a new window"));
    struct dialog *d = dialog_new(DIALOG_PROMPT, title);
    struct lines *l = &d->body.lines;
    free(title);
    lines_addf(l, ROLE_NORMAL,
               tr("No job starts on these nodes that would still run when the window begins."));
    lines_addf(
        l, ROLE_DIM,
        tr("start=18:00, now+2hours, 2026-12-24T08:00; duration=2h or end=...; users=ann,bo reserves "
           "the nodes for them%s"),
        take_l->changes ? tr(", an empty users= makes it maintenance") : tr("; name=..."));
    d->verb = xstrdup(take_l->changes ? tr("change") : tr("create"));
    edit_set(&d->edit, take_l->words);
    if (wrong)
        dialog_refuse(d, wrong);
    ui_take_dialog(ui, d, words_typed, take_l, line_free);
}

/* In the box of the input, if it is still open. */
static void window_edit_refuse(struct ui *ui, const struct window_line *l, const char *wrong)
{
    if (!l->dialog || !ui_refuse_dialog(ui, l->dialog, "%s", wrong))
        ask_words(ui, line_new(l->changes, l->nodes, l->words), wrong);
}

/* --- asking the controller --- */

static void window_edit_told(struct ui *ui, const struct incoming *in, void *arg)
{
    const struct window_line *l = arg;
    const struct msg_result *r = in ? in->body : NULL;
    if (!in) {
        window_edit_refuse(ui, l, tr("the connection was lost: check whether the change was made"));
    } else if (in->kind == MSG_RESULT && r->refusal) {
        window_edit_refuse(ui, l, act_refusal(r));
    } else {
        ui_drop_dialog(ui, l->dialog);
        ui_toast(ui, ROLE_GOOD, l->changes ? tr("changed: %s") : tr("created: %s"),
                 in->kind == MSG_RESULT && r->text ? r->text : tr("the window"));
    }
}

static void window_edit_send(struct ui *ui, struct window_line *take_l, const struct window *w, bool update)
{
    struct msg_window_set m = {.window = *w, .update = update};
    uint64_t dialog = take_l->dialog;
    if (ui_ask(ui, MSG_WINDOW_SET, &m, window_edit_told, take_l, line_free))
        ui_dialog_waits(ui, dialog);
}

static void make_it(struct ui *ui, const struct window *w, void *arg)
{
    const struct window_line *l = arg;
    struct window_line *copy = line_new(l->changes, l->nodes, l->words); /* the question frees its own */
    copy->dialog = l->dialog;
    window_edit_send(ui, copy, w, false);
}

static void try_words(struct ui *ui, struct window_line *take_l)
{
    struct windowspec spec = {0};
    struct errtext err = {""};
    const struct window *old = take_l->changes ? model_get_window(ui_model(ui), take_l->changes) : NULL;
    int rc = old               ? read_change(&spec, old, take_l->words, ui_now(ui), &err)
             : take_l->changes ? err_set(&err, -ENOENT, tr("the window has been deleted meanwhile"))
                               : read_new(&spec, take_l, ui_now(ui), &err);
    if (rc < 0) {
        window_edit_refuse(ui, take_l, err.s);
        line_free(take_l);
    } else if (old) {
        window_edit_send(ui, take_l, &spec.w, true);
    } else {
        windowask(ui, &spec.w, make_it, take_l, line_free);
    }
    windowspec_fini(&spec);
}

void windowline_make(struct ui *ui, const char *nodes, const char *words)
{
    if (!window_edit_may(ui))
        return;
    if (str_is_empty(words))
        ui_push(ui, &windowform_view, &(struct window_form_arg){.nodes = nodes});
    else
        try_words(ui, line_new(NULL, nodes, words));
}

void windowline_change(struct ui *ui, const struct window *w, const char *words)
{
    if (!window_edit_may(ui))
        return;
    if (str_is_empty(words))
        ui_push(ui, &windowform_view, &(struct window_form_arg){.changes = w});
    else
        try_words(ui, line_new(w->name, NULL, words));
}

/* --- deleting --- */

static void window_edit_names_free(void *p)
{
    strv_fini(p);
    free(p);
}

static void window_edit_gone(struct ui *ui, const struct incoming *in, void *arg)
{
    const struct msg_result *r = in ? in->body : NULL;
    if (!in)
        ui_toast(ui, ROLE_ERROR, tr("delete %s: the connection was lost, look whether it was done"),
                 (const char *)arg);
    else if (in->kind == MSG_RESULT && r->refusal)
        act_show_refusal(ui, tr("delete the window"), r);
    else
        ui_toast(ui, ROLE_GOOD, tr("deleted: %s"), (const char *)arg);
}

static void window_edit_confirmed(struct ui *ui, struct dialog *d, enum dialog_outcome outcome, void *arg)
{
    (void)d;
    const struct strv *names = arg;
    for (size_t i = 0; i < names->n && outcome == DIALOG_YES; i++) {
        struct msg_window_set m = {.window.name = names->v[i], .remove = true};
        ui_ask(ui, MSG_WINDOW_SET, &m, window_edit_gone, xstrdup(names->v[i]), free);
    }
}

void windowline_delete(struct ui *ui, const struct strv *names)
{
    if (!window_edit_may(ui) || !names->n)
        return;
    bool one = names->n == 1;
    char *title = one ? xasprintf(tr("delete the window %s"), names->v[0])
                      : xasprintf(tr("delete %zu windows"), names->n);
    struct dialog *d = dialog_new(DIALOG_CONFIRM, title);
    free(title);
    for (size_t i = 0; i < names->n; i++) {
        const struct window *w = model_get_window(ui_model(ui), names->v[i]);
        struct rich *r = lines_add(&d->body.lines);
        rich_addf(r, ROLE_STRONG, "%s  ", names->v[i]);
        if (w)
            window_words(r, ui, w);
    }
    lines_add(&d->body.lines);
    lines_addf(&d->body.lines, ROLE_DIM, "%s",
               one ? tr("Jobs can start on these nodes again, as if it did not exist.")
                   : tr("Jobs can start on these nodes again, as if they did not exist."));
    d->verb = xstrdup(tr("delete"));
    d->danger = true;
    struct strv *copy = xcalloc(1, sizeof *copy);
    *copy = strv_copy(names);
    ui_take_dialog(ui, d, window_edit_confirmed, copy, window_edit_names_free);
}
