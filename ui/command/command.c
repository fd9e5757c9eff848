/* command.c - the command line (':'). */
#include "ui/command/command.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "src/base/utf8.h"
#include "src/base/words.h"
#include "src/base/xalloc.h"
#include "src/lang/lang.h"
#include "ui/command/command_user.h"
#include "ui/command/commands.h"
#include "ui/command/complete.h"
#include "ui/command/complete_files.h"
#include "ui/command/word_candidates.h"
#include "ui/frame/outbox.h"

#define NEAR 2 /* changed letters at most in a misspelt word */

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

/* By its name, its other name, or an unambiguous prefix. */
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

/* By its name, or an unambiguous prefix: "partition". */
static int find_screen(const struct ui *ui, const char *word, bool whole)
{
    int found = -1;
    size_t n = strlen(word);
    for (size_t i = 0; i < ui->program.n_screens; i++)
        if (whole ? str_ieq(ui->program.screens[i].ops->name, word)
                  : strncasecmp(ui->program.screens[i].ops->name, word, n) == 0) {
            if (found >= 0)
                return -1;
            found = (int)i;
        }
    return found;
}

/* Whether :show opens its rows. */
static bool has_things(const struct ui *ui, int screen)
{
    return str_ieq(ui->program.screens[screen].ops->name, "jobs") ||
           str_ieq(ui->program.screens[screen].ops->name, "nodes");
}

/* Is this command never offered for a misspelt word: it ends or changes something? */
static bool is_for_sure(const char *name)
{
    static const char *const list[] = {"cancel", "signal", "hold",   "release", "requeue", "update",
                                       "drain",  "resume", "window", "windows", "forget",  "quit"};
    for (size_t i = 0; i < sizeof list / sizeof list[0]; i++)
        if (str_eq(list[i], name))
            return true;
    return false;
}

static void complain_unknown(struct ui *ui, const char *word)
{
    const char *near = NULL;
    size_t best = NEAR + 1;
    for (size_t i = 0; i < N_COMMANDS; i++) {
        size_t d = words_distance(word, commands[i].name);
        if (d < best && d < strlen(word) && !is_for_sure(commands[i].name)) {
            best = d;
            near = commands[i].name;
        }
    }
    if (near)
        ui_toast(ui, ROLE_ERROR, tr("there is no command '%s'; did you mean '%s'?"), word, near);
    else
        ui_toast(ui, ROLE_ERROR, tr("there is no command '%s'; ? lists the commands"), word);
}

/* An alias stands for its text, which is not looked for among the aliases again. Heap. */
static char *without_alias(const struct ui *ui, const char *line)
{
    size_t len = strcspn(line, " ");
    char *word = xstrndup(line, len);
    const char *text = user_alias_text(ui->o.commands, word);
    free(word);
    return text ? xasprintf("%s%s", text, line + len) : xstrdup(line);
}

static void command_run(struct ui *ui, const char *line)
{
    size_t len = strcspn(line, " ");
    const char *rest = line + len + strspn(line + len, " ");
    char *word = xstrndup(line, len);
    int screen = find_screen(ui, word, true), i = find_command(word);
    struct strv words = strv_split(rest, " ");
    if (screen < 0 && i < 0)
        screen = find_screen(ui, word, false);
    const struct view *v = ui_view(ui);
    if (isdigit((unsigned char)*word) && v->ops->go_line && !*rest) {
        v->ops->go_line(ui_view(ui), strtoll(word, NULL, 10));
    } else if (isdigit((unsigned char)*word)) { /* a job */
        struct strv job = strv_split(line, " ");
        run_show(ui, &job, line);
        strv_fini(&job);
    } else if (user_command_find(ui->o.commands, word)) {
        command_user_run(ui, user_command_find(ui->o.commands, word));
    } else if (screen >= 0 && *rest && has_things(ui, screen)) { /* "node gpu01" */
        run_show(ui, &words, rest);
    } else if (screen >= 0) {
        frame_act(ui, ui->program.screens[screen].action);
    } else if (i < 0) {
        complain_unknown(ui, word);
    } else {
        commands[i].run(ui, &words, rest);
    }
    strv_fini(&words);
    free(word);
    ui->dirty = true;
}

/* --- the line --- */

static void command_close(struct ui *ui)
{
    ui->cmd->open = false;
    candidates_clear(ui->cmd);
    files_forget(ui->cmd);
    free(ui->cmd->typed);
    ui->cmd->typed = NULL;
    ui->dirty = true;
}

void command_new(struct ui *ui)
{
    ui->cmd = xcalloc(1, sizeof *ui->cmd);
    edit_init(&ui->cmd->edit);
    ui->cmd->chosen = -1;
}

void command_free(struct ui *ui)
{
    command_close(ui);
    vec_fini(&ui->cmd->candidates);
    edit_fini(&ui->cmd->edit);
    free(ui->cmd);
    ui->cmd = NULL;
}

bool command_is_open(const struct ui *ui)
{
    return ui->cmd->open;
}

void command_open(struct ui *ui, const char *text)
{
    ui_want_all(ui); /* a command may be about any job or node */
    ui->cmd->open = true;
    ui->cmd->history = 0;
    edit_set(&ui->cmd->edit, text);
    command_complete(ui);
    ui->dirty = true;
}

/* Replaces the word by a candidate. After the only candidate the next word begins. */
static void take_candidate(struct cmdline *cl, int i, bool only)
{
    const struct word_candidate *c = &cl->candidates.v[i];
    struct str s = STR_INIT;
    str_append_n(&s, cl->edit.text.s, cl->word);
    str_append(&s, c->text);
    size_t n = strlen(c->text);
    if (only && n && !strchr("/:=", c->text[n - 1]))
        str_append_char(&s, ' ');
    size_t at = s.len;
    str_append(&s, cl->edit.text.s + cl->edit.at);
    edit_set(&cl->edit, s.s);
    cl->edit.at = at;
    str_fini(&s);
}

static void complete_word(struct ui *ui, int by)
{
    struct cmdline *cl = ui->cmd;
    int n = (int)cl->candidates.n;
    if (!n)
        return;
    if (n == 1) {
        take_candidate(cl, 0, true);
        command_complete(ui);
        return;
    }
    cl->chosen = cl->chosen < 0 ? (by > 0 ? 0 : n - 1) : (cl->chosen + by + n) % n;
    take_candidate(cl, cl->chosen, false);
}

/* Up and down through the history: lines that begin as the present one does. */
static void walk_history(struct ui *ui, int by)
{
    struct cmdline *cl = ui->cmd;
    const struct strv *h = &ui->o.prefs->history;
    if (!cl->history) {
        xstrset(&cl->typed, cl->edit.text.s);
    }
    size_t at = cl->history;
    do {
        if ((by < 0 && at == h->n) || (by > 0 && at == 0))
            return;
        at = by < 0 ? at + 1 : at - 1;
    } while (at && !str_starts(h->v[h->n - at], cl->typed));
    cl->history = at;
    edit_set(&cl->edit, at ? h->v[h->n - at] : cl->typed);
    command_complete(ui);
}

static void run_typed(struct ui *ui)
{
    char *copy = xstrdup(ui->cmd->edit.text.s), *line = str_trim(copy);
    command_close(ui);
    if (*line) {
        prefs_remember(ui->o.prefs, line);
        outbox_wish(ui, WISH_SAVE);
        char *meant = without_alias(ui, line);
        command_run(ui, meant);
        free(meant);
    }
    free(copy);
}

void command_input(struct ui *ui, const struct input *in)
{
    struct cmdline *cl = ui->cmd;
    uint32_t key = in->kind == INPUT_KEY ? in->key : 0;
    ui->dirty = true;
    if (in->kind == INPUT_MOUSE || in->kind == INPUT_RESIZE)
        return;
    if (key == KEYNAME_ENTER)
        run_typed(ui);
    else if (key == KEYNAME_ESC || (key == KEYNAME_BACKSPACE && !cl->edit.text.len))
        command_close(ui);
    else if (key == KEYNAME_TAB || key == KEYNAME_STAB)
        complete_word(ui, key == KEYNAME_TAB ? 1 : -1);
    else if (key == KEYNAME_UP || key == CTRL_KEY('p'))
        walk_history(ui, -1);
    else if (key == KEYNAME_DOWN || key == CTRL_KEY('n'))
        walk_history(ui, 1);
    else if (edit_input(&cl->edit, in)) {
        cl->history = 0;
        command_complete(ui);
    }
}

/* --- drawing --- */

void command_draw(struct ui *ui, struct canvas *c, struct rect footer)
{
    if (rect_is_empty(footer))
        footer = rect_make(c->rows - 1, 0, 1, c->cols);
    canvas_fill(c, footer, ROLE_NORMAL);
    candidates_draw(ui->cmd, c, footer, footer.y - 1);
    int x = footer.x + 1 + canvas_text(c, footer.y, footer.x + 1, ROLE_KEY, ":", 1);
    edit_draw(&ui->cmd->edit, c, footer.y, x, footer.x + footer.w - x);
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
        rich_add(r, ROLE_NORMAL, tr(commands[i].help));
        if (commands[i].other)
            rich_addf(r, ROLE_DIM, " (:%s)", commands[i].other);
        r->hang = 27;
        str_fini(&s);
    }
}
