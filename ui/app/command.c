/* command.c - the line behind ':'. */
#include "ui/app/command.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "src/base/hostlist.h"
#include "src/base/utf8.h"
#include "src/base/xalloc.h"
#include "src/jobspec/signame.h"
#include "ui/app/private.h"
#include "ui/view/act.h"
#include "ui/view/jobpage.h"
#include "ui/view/nodekeys.h"
#include "ui/view/output.h"
#include "ui/view/submit.h"
#include "ui/view/why.h"
#include "ui/widget/table.h"

#define POPUP_ROWS 10
#define NOTE_COL   2 /* blanks between a candidate and its note */

/* --- the line --- */

void command_open(struct ui *a, const char *text)
{
    a->cmd.open = true;
    a->cmd.history = 0;
    edit_set(&a->cmd.edit, text);
    command_complete(a);
    a->dirty = true;
}

void command_close(struct ui *a)
{
    a->cmd.open = false;
    candidates_clear(&a->cmd);
    free(a->cmd.typed);
    a->cmd.typed = NULL;
    a->dirty = true;
}

/* Puts a candidate where the word stands. A single one is as good as chosen: the next word begins. */
static void take_candidate(struct cmdline *cl, int i, bool only)
{
    const struct candidate *c = &cl->candidates.v[i];
    struct str s = STR_INIT;
    str_append_n(&s, cl->edit.text.s, cl->word);
    str_append(&s, c->text);
    size_t n = strlen(c->text);
    if (only && n && c->text[n - 1] != '/' && c->text[n - 1] != ':')
        str_append_char(&s, ' ');
    size_t at = s.len;
    str_append(&s, cl->edit.text.s + cl->edit.at);
    edit_set(&cl->edit, s.s);
    cl->edit.at = at;
    str_fini(&s);
}

static void complete_word(struct ui *a, int by)
{
    struct cmdline *cl = &a->cmd;
    int n = (int)cl->candidates.n;
    if (!n)
        return;
    if (n == 1) {
        take_candidate(cl, 0, true);
        command_complete(a);
        return;
    }
    cl->chosen = cl->chosen < 0 ? (by > 0 ? 0 : n - 1) : (cl->chosen + by + n) % n;
    take_candidate(cl, cl->chosen, false);
}

/* Up and down through what was typed before: lines that begin like the one that is being typed. */
static void walk_history(struct ui *a, int by)
{
    struct cmdline *cl = &a->cmd;
    const struct strv *h = &a->o.prefs->history;
    if (!cl->history) {
        free(cl->typed);
        cl->typed = xstrdup(cl->edit.text.s);
    }
    size_t at = cl->history;
    do {
        if ((by < 0 && at == h->n) || (by > 0 && at == 0))
            return;
        at = by < 0 ? at + 1 : at - 1;
    } while (at && !str_starts(h->v[h->n - at], cl->typed));
    cl->history = at;
    edit_set(&cl->edit, at ? h->v[h->n - at] : cl->typed);
    command_complete(a);
}

static void run_typed(struct ui *a)
{
    char *copy = xstrdup(a->cmd.edit.text.s), *line = str_trim(copy);
    command_close(a);
    if (*line) {
        prefs_remember(a->o.prefs, line);
        a->wishes |= APP_SAVE;
        command_run(a, line);
    }
    free(copy);
}

void command_input(struct ui *a, const struct input *in)
{
    struct cmdline *cl = &a->cmd;
    uint32_t key = in->kind == INPUT_KEY ? in->key : 0;
    a->dirty = true;
    if (in->kind == INPUT_MOUSE || in->kind == INPUT_RESIZE)
        return;
    if (key == KEYNAME_ENTER)
        run_typed(a);
    else if (key == KEYNAME_ESC || (key == KEYNAME_BACKSPACE && !cl->edit.text.len))
        command_close(a);
    else if (key == KEYNAME_TAB || key == KEYNAME_STAB)
        complete_word(a, key == KEYNAME_TAB ? 1 : -1);
    else if (key == KEYNAME_UP || key == CTRL_KEY('p'))
        walk_history(a, -1);
    else if (key == KEYNAME_DOWN || key == CTRL_KEY('n'))
        walk_history(a, 1);
    else if (edit_input(&cl->edit, in)) {
        cl->history = 0;
        command_complete(a);
    }
}

/* --- drawing --- */

static void draw_candidates(const struct cmdline *cl, struct canvas *c, struct rect footer)
{
    int n = (int)cl->candidates.n, rows = footer.y - 3, text = 0, note = 0;
    rows = rows > POPUP_ROWS ? POPUP_ROWS : rows;
    rows = rows > n ? n : rows;
    if (rows < 1)
        return;
    int top = cl->chosen >= rows ? cl->chosen - rows + 1 : 0;
    for (int i = top; i < top + rows; i++) {
        int w = cell_width(cl->candidates.v[i].text),
            x = cl->candidates.v[i].note ? cell_width(cl->candidates.v[i].note) + NOTE_COL : 0;
        text = w > text ? w : text;
        note = x > note ? x : note;
    }
    char more[32] = "";
    if (n > rows)
        snprintf(more, sizeof more, "%d of %d", top + rows, n);
    int w = text + note + 4;
    w = w > footer.w - 2 ? footer.w - 2 : w < 18 ? 18 : w;
    struct rect box = rect_make(footer.y - rows - 2, footer.x + 1, rows + 2, w);
    canvas_fill(c, box, ROLE_BOX);
    canvas_frame(c, box, ROLE_BOX_FRAME, *more ? more : NULL);
    for (int i = 0; i < rows; i++) {
        const struct candidate *k = &cl->candidates.v[top + i];
        int y = box.y + 1 + i;
        canvas_text(c, y, box.x + 2, ROLE_STRONG, k->text, w - 4);
        if (k->note && text + NOTE_COL < w - 4)
            canvas_text(c, y, box.x + 2 + text + NOTE_COL, ROLE_DIM, k->note, w - 4 - text - NOTE_COL);
        if (top + i == cl->chosen)
            canvas_over(c, rect_make(y, box.x + 1, 1, w - 2), ROLE_CURSOR);
    }
}

void command_draw(struct ui *a, struct canvas *c, struct rect footer)
{
    if (rect_is_empty(footer))
        footer = rect_make(c->rows - 1, 0, 1, c->cols);
    canvas_fill(c, footer, ROLE_NORMAL);
    draw_candidates(&a->cmd, c, footer);
    int x = footer.x + 1 + canvas_text(c, footer.y, footer.x + 1, ROLE_KEY, ":", 1);
    edit_draw(&a->cmd.edit, c, footer.y, x, footer.x + footer.w - x);
}

/* --- what the commands do --- */

/* words: those behind the command; rest: the same as it was typed. */
typedef void command_fn(struct ui *a, const struct strv *words, const char *rest);

static void complain(struct ui *a, const char *what)
{
    ui_toast(a, ROLE_ERROR, "%s", what);
}

/* The view's own key for the same thing, so that marks and the cursor count. */
static void act_in_view(struct ui *a, enum action action, const char *otherwise)
{
    struct view *v = app_view(a);
    struct input none = input_key(0);
    unsigned did = v->ops->act(v, action, &none);
    if (!(did & DID_HANDLE))
        complain(a, otherwise);
}

static bool add_words(struct ui *a, struct targets *t, const struct strv *words, size_t from)
{
    struct errtext err = {""};
    for (size_t i = from; i < words->n; i++)
        if (targets_add_word(t, a, words->v[i], &err) < 0) {
            complain(a, err.s);
            targets_fini(t);
            return false;
        }
    return true;
}

static void act_on_words(struct ui *a, enum action action, const struct strv *words)
{
    struct targets t = {0};
    if (!words->n)
        act_in_view(a, action, "say which job: its number, or 12_3 of an array");
    else if (add_words(a, &t, words, 0))
        act_on_jobs(a, action, &t);
}

static void run_cancel(struct ui *a, const struct strv *words, const char *rest)
{
    (void)rest;
    act_on_words(a, ACTION_CANCEL, words);
}

static void run_hold(struct ui *a, const struct strv *words, const char *rest)
{
    (void)rest;
    act_on_words(a, ACTION_HOLD, words);
}

static void run_release(struct ui *a, const struct strv *words, const char *rest)
{
    (void)rest;
    act_on_words(a, ACTION_RELEASE, words);
}

static void run_requeue(struct ui *a, const struct strv *words, const char *rest)
{
    (void)rest;
    act_on_words(a, ACTION_REQUEUE, words);
}

static void run_signal(struct ui *a, const struct strv *words, const char *rest)
{
    (void)rest;
    struct targets t = {0};
    if (!words->n) {
        act_in_view(a, ACTION_SIGNAL, "say which signal, and to which job");
        return;
    }
    const char *name = words->v[0] + (words->v[0][0] == '-');
    int number = signal_by_name(name);
    if (number <= 0)
        ui_toast(a, ROLE_ERROR, "'%s' is no signal", name);
    else if (words->n == 1)
        complain(a, "say which jobs; C sends a signal to the marked ones");
    else if (add_words(a, &t, words, 1))
        act_signal(a, number, &t);
}

static void run_update(struct ui *a, const struct strv *words, const char *rest)
{
    (void)rest;
    struct strv changes = {0}, jobs = {0};
    for (size_t i = 0; i < words->n; i++)
        strv_push(strchr(words->v[i], '=') ? &changes : &jobs, words->v[i]);
    struct targets t = {0};
    if (!changes.n)
        act_on_words(a, ACTION_EDIT, &jobs);
    else if (!jobs.n)
        complain(a, "say which job: :update 12 TimeLimit=2:00:00");
    else if (add_words(a, &t, &jobs, 0))
        act_update(a, &changes, &t);
    strv_fini(&changes);
    strv_fini(&jobs);
}

static const struct job *job_of_word(struct ui *a, const char *word)
{
    struct targets t = {0};
    struct errtext err = {""};
    const struct job *j = NULL;
    if (targets_add_word(&t, a, word, &err) < 0) {
        complain(a, err.s);
        return NULL;
    }
    const struct job_target *to = &t.v[0].to;
    j = to->array_index == ARRAY_NONE ? model_get_job(a->m, to->job)
                                      : model_get_element(a->m, to->job, to->array_index);
    if (!j)
        ui_toast(a, ROLE_ERROR, "%s names several jobs: choose one, as 12_3", word);
    targets_fini(&t);
    return j;
}

static void run_show(struct ui *a, const struct strv *words, const char *rest)
{
    (void)rest;
    const struct node *n = words->n ? model_get_node(a->m, words->v[0]) : NULL;
    const struct job *j = n || !words->n ? NULL : job_of_word(a, words->v[0]);
    if (!words->n)
        complain(a, "say what: a job or a node");
    else if (n)
        nodekeys_show(a, n);
    else if (j)
        ui_push(a, &jobpage_view, &j->id);
}

static void run_output(struct ui *a, const struct strv *words, const char *rest)
{
    (void)rest;
    const struct job *j = words->n ? job_of_word(a, words->v[0]) : NULL;
    if (!words->n)
        act_in_view(a, ACTION_OUTPUT, "say which job");
    else if (j)
        output_open(a, j);
}

static void run_why(struct ui *a, const struct strv *words, const char *rest)
{
    (void)rest;
    const struct job *j = words->n ? job_of_word(a, words->v[0]) : NULL;
    if (!words->n)
        act_in_view(a, ACTION_WHY, "say which job");
    else if (j)
        why_open(a, j);
}

static void run_watch(struct ui *a, const struct strv *words, const char *rest)
{
    (void)rest;
    struct targets t = {0};
    if (!words->n)
        act_in_view(a, ACTION_WATCH, "say which job");
    else if (add_words(a, &t, words, 0))
        act_watch(a, &t);
}

/* --- nodes --- */

static void on_nodes(struct ui *a, bool drain, const char *names, const char *reason)
{
    struct strv list = {0};
    struct errtext err = {""};
    VEC(const struct node *) nodes = VEC_INIT;
    if (hostlist_expand(names, &list, &err) < 0)
        complain(a, err.s);
    for (size_t i = 0; i < list.n; i++) {
        const struct node *n = model_get_node(a->m, list.v[i]);
        if (!n) {
            ui_toast(a, ROLE_ERROR, "there is no node %s", list.v[i]);
            vec_clear(&nodes);
            break;
        }
        vec_push(&nodes, n);
    }
    if (nodes.n)
        act_on_nodes(a, drain, nodes.v, nodes.n, reason);
    strv_fini(&list);
    vec_fini(&nodes);
}

static void run_drain(struct ui *a, const struct strv *words, const char *rest)
{
    if (!words->n) {
        act_in_view(a, ACTION_DRAIN, "say which nodes, and why: :drain n01 fan is loud");
        return;
    }
    const char *reason = strstr(rest, words->v[0]) + strlen(words->v[0]);
    on_nodes(a, true, words->v[0], reason + strspn(reason, " "));
}

static void run_resume(struct ui *a, const struct strv *words, const char *rest)
{
    (void)rest;
    if (!words->n)
        act_in_view(a, ACTION_RESUME, "say which nodes");
    else
        on_nodes(a, false, words->v[0], "");
}

/* --- the table of the screen --- */

static struct table *must_have_table(struct ui *a)
{
    struct view *v = app_view(a);
    struct table *t = v->ops->table ? v->ops->table(v) : NULL;
    if (!t)
        complain(a, "there is no table on this screen");
    return t;
}

static void run_filter(struct ui *a, const struct strv *words, const char *rest)
{
    (void)words;
    struct table *t = must_have_table(a);
    if (t)
        table_set_filter(t, rest);
}

static void run_mark(struct ui *a, const struct strv *words, const char *rest)
{
    struct table *t = must_have_table(a);
    if (t && !words->n)
        complain(a, "say what to mark, as in a filter: :mark user:ann state:wait");
    else if (t)
        ui_toast(a, ROLE_NORMAL, "%zu marked", table_mark_matching(t, rest));
}

static void run_unmark(struct ui *a, const struct strv *words, const char *rest)
{
    (void)words;
    (void)rest;
    struct table *t = must_have_table(a);
    if (t)
        list_unmark_all(&t->list);
}

static int find_column(struct ui *a, const struct table *t, const char *name)
{
    int i = table_find_column(t, name);
    if (i < 0)
        ui_toast(a, ROLE_ERROR, "there is no column '%s' here", name);
    return i;
}

static void run_sort(struct ui *a, const struct strv *words, const char *rest)
{
    (void)rest;
    struct table *t = must_have_table(a);
    int i = t && words->n ? find_column(a, t, words->v[0]) : -1;
    if (t && (i >= 0 || !words->n))
        table_sort(t, i, words->n > 1 && (str_starts(words->v[1], "d") || str_starts(words->v[1], "r")));
}

static void run_columns(struct ui *a, const struct strv *words, const char *rest)
{
    (void)rest;
    struct table *t = must_have_table(a);
    for (size_t i = 0; t && i < words->n; i++)
        if (find_column(a, t, words->v[i]) < 0)
            return;
    for (size_t i = 0; t && i < t->n_cols; i++)
        table_show_column(t, i, !words->n && !(t->cols[i].flags & COLUMN_HIDDEN));
    for (size_t i = 0; t && i < words->n; i++)
        table_show_column(t, (size_t)table_find_column(t, words->v[i]), true);
}

/* --- the screens --- */

static void run_submit(struct ui *a, const struct strv *words, const char *rest)
{
    (void)words;
    submit_open(a, *rest ? rest : NULL);
}

static void run_theme(struct ui *a, const struct strv *words, const char *rest)
{
    (void)rest;
    free(a->o.prefs->theme);
    a->o.prefs->theme = words->n ? xstrdup(words->v[0]) : NULL;
    a->wishes |= APP_THEME | APP_SAVE;
}

static void press(struct ui *a, enum action action)
{
    app_act(a, action);
}

static void run_mouse(struct ui *a, const struct strv *words, const char *rest)
{
    (void)words;
    (void)rest;
    press(a, ACTION_MOUSE);
}

static void run_freeze(struct ui *a, const struct strv *words, const char *rest)
{
    (void)words;
    (void)rest;
    press(a, ACTION_FREEZE);
}

static void run_help(struct ui *a, const struct strv *words, const char *rest)
{
    (void)words;
    (void)rest;
    press(a, ACTION_HELP);
}

static void run_quit(struct ui *a, const struct strv *words, const char *rest)
{
    (void)words;
    (void)rest;
    app_quit(a);
}

/* --- the table of commands --- */

static const struct {
    const char *name, *other, *args, *help;
    command_fn *run;
} commands[] = {
#define X(name_, other_, args_, kind, help_) \
    {.name = #name_, .other = other_, .args = args_, .help = help_, .run = run_##name_},
    COMMANDS(X)
#undef X
};

#define N_COMMANDS (sizeof commands / sizeof commands[0])

static bool is_called(size_t i, const char *word)
{
    return str_eq(commands[i].name, word) || (commands[i].other && str_eq(commands[i].other, word));
}

/* By its name, its other name, or a beginning that only one has. */
static int find_command(const char *word)
{
    int found = -1;
    size_t n = strlen(word);
    for (size_t i = 0; i < N_COMMANDS; i++)
        if (is_called(i, word))
            return (int)i;
    for (size_t i = 0; i < N_COMMANDS; i++)
        if (strncmp(commands[i].name, word, n) == 0) {
            if (found >= 0)
                return -1;
            found = (int)i;
        }
    return found;
}

static int find_screen(const char *word)
{
    for (size_t i = 0; i < screens_count(); i++)
        if (str_ieq(screens[i]->name, word))
            return (int)i;
    return -1;
}

void command_run(struct ui *a, const char *line)
{
    size_t len = strcspn(line, " ");
    const char *rest = line + len + strspn(line + len, " ");
    char *word = xstrndup(line, len);
    int screen = find_screen(word), i = find_command(word);
    struct strv words = strv_split(rest, " ");
    if (screen >= 0)
        app_act(a, screen_action((size_t)screen));
    else if (i < 0)
        ui_toast(a, ROLE_ERROR, "there is no command '%s'; ? lists them", word);
    else
        commands[i].run(a, &words, rest);
    strv_fini(&words);
    free(word);
    a->dirty = true;
}

void command_help(struct lines *l)
{
    for (size_t i = 0; i < N_COMMANDS; i++) {
        struct str s = STR_INIT;
        str_appendf(&s, ":%s %s", commands[i].name, commands[i].args);
        struct rich *r = lines_add(l);
        int pad = 27 - cell_width(s.s);
        rich_add(r, ROLE_KEY, s.s);
        rich_addf(r, ROLE_NORMAL, "%*s", pad > 1 ? pad : 1, "");
        rich_add(r, ROLE_NORMAL, commands[i].help);
        if (commands[i].other)
            rich_addf(r, ROLE_DIM, " (:%s)", commands[i].other);
        r->hang = 27;
        str_fini(&s);
    }
}
