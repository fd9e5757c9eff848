/* complete.c - candidates, by command. */
#include "ui/command/complete.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "src/base/xalloc.h"
#include "src/lang/lang.h"
#include "src/text/jobtext.h"
#include "src/text/state_text.h"
#include "ui/command/command_table.h"
#include "ui/command/complete_files.h"
#include "ui/command/complete_windows.h"
#include "ui/command/word_candidates.h"
#include "ui/frame/remember.h"
#include "ui/frame/stack.h"
#include "ui/table/table.h"

static void complete_offer_job(struct cmdline *cl, const char *word, const struct job *j)
{
    char id[32];
    struct str note = STR_INIT;
    if (j->array_job && j->array_index != ARRAY_NONE)
        snprintf(id, sizeof id, "%u_%u", j->array_job, j->array_index);
    else
        snprintf(id, sizeof id, "%u", j->id);
    if (!str_starts(id, word)) /* most jobs do not match: their notes are not needed */
        return;
    str_appendf(&note, "%s, %s, %s", j->req.name ? j->req.name : "", j->user ? j->user : "",
                j->state == JOB_PENDING && j->hold ? tr("held") : job_state_word((enum job_state)j->state));
    candidates_offer(cl, word, id, str_take(&note));
}

static void offer_list(struct cmdline *cl, const char *word, const struct list *jobs)
{
    list_for_each (j, jobs, struct job, in_queue) {
        if (candidates_are_full(cl))
            return;
        complete_offer_job(cl, word, j);
    }
}

/* Jobs that have not ended: the user's own, then those of others where the user may change them. */
static void complete_offer_own(struct ui *ui, struct cmdline *cl, const char *word)
{
    const struct list *queues[] = {&ui->m->active, &ui->m->pending};
    for (int others = 0; others <= ui_is_admin(ui); others++)
        for (size_t q = 0; q < sizeof queues / sizeof queues[0]; q++)
            list_for_each (j, queues[q], struct job, in_queue) {
                if (candidates_are_full(cl))
                    return;
                if ((j->uid != ui_uid(ui)) == others)
                    complete_offer_job(cl, word, j);
            }
}

static void complete_offer_jobs(struct ui *ui, struct cmdline *cl, const char *word, bool ended)
{
    offer_list(cl, word, &ui->m->active);
    offer_list(cl, word, &ui->m->pending);
    if (ended)
        offer_list(cl, word, &ui->m->ended);
}

static void offer_views(struct ui *ui, struct cmdline *cl, const char *word)
{
    for (size_t i = 0; i < ui->o.prefs->named.n; i++) {
        struct str words = STR_INIT;
        remember_words(&ui->o.prefs->named.v[i].shows, &words);
        candidates_offer(cl, word, ui->o.prefs->named.v[i].name, str_take(&words));
    }
}

static void offer_columns(struct ui *ui, struct cmdline *cl, const char *word, const char *tail)
{
    struct view *v = ui_view(ui);
    const struct table *t = v->ops->table ? v->ops->table(v) : NULL;
    for (size_t i = 0; t && i < t->n_cols; i++) {
        char word_of[COLUMN_WORD_SIZE];
        char *name = xasprintf("%s%s", table_column_word(&t->cols[i], word_of), tail);
        candidates_offer(cl, word, name, NULL);
        free(name);
    }
}

#define LOOK_AT 500 /* rows whose values are offered */

/* What stands in a column of words, as a filter has it. */
static void offer_column_values(struct cmdline *cl, struct table *t, int column, const char *word)
{
    struct table_field f;
    field_init(&f);
    for (size_t i = 0; i < t->rows.n && i < LOOK_AT && !candidates_are_full(cl); i++) {
        rich_clear(&f.text);
        f.room = ROOM_AS_SEEN;
        t->cols[column].get(t->ctx, t->rows.v[i].data, &f);
        const char *text = f.text.text.s;
        bool quote = strchr(text, ' ') || strchr(text, '|'), known = !*text || strchr(text, '"');
        char *value = quote ? xasprintf("\"%s\"", text) : xstrdup(text);
        for (size_t k = 0; k < cl->candidates.n && !known; k++)
            known = str_eq(cl->candidates.v[k].text, value);
        if (!known)
            candidates_offer(cl, word, value, NULL);
        free(value);
    }
    field_fini(&f);
}

/* The values of a column, for a filter. */
static void offer_values(struct ui *ui, struct cmdline *cl, const char *column, const char *word)
{
    struct view *v = ui_view(ui);
    struct table *t = v->ops->table ? v->ops->table(v) : NULL;
    int at = t ? table_find_column(t, column) : -1;
    if (at >= 0 && !v->ops->mine) { /* its rows are not jobs */
        if (t->cols[at].flags & COLUMN_WORDS)
            offer_column_values(cl, t, at, word);
        return;
    }
    if (strncasecmp(column, "state", strlen(column)) == 0) {
        for (int k = 0; k < JOB_N_STATES; k++)
            if (!strchr(job_state_word((enum job_state)k), ' ')) /* a filter's words have no blanks */
                candidates_offer(cl, word, job_state_word((enum job_state)k), NULL);
        candidates_offer(cl, word, tr("held"), NULL);
    }
    if (strncasecmp(column, "partition", strlen(column)) == 0)
        for (size_t i = 0; i < ui->m->spec.parts.n; i++)
            candidates_offer(cl, word, ui->m->spec.parts.v[i].name, NULL);
    else if (strncasecmp(column, "user", strlen(column)) == 0)
        list_for_each (j, &ui->m->all, struct job, in_all)
            candidates_offer_once(cl, word, j->user);
    else if (strncasecmp(column, "account", strlen(column)) == 0)
        list_for_each (k, &ui->m->all, struct job, in_all)
            candidates_offer_once(cl, word, k->req.account);
}

/* Behind "!" and "|" a word begins again; behind "|" the column before it goes on. */
void complete_filter(struct ui *ui, struct cmdline *cl, const char *word)
{
    const char *bar = strrchr(word, '|'), *begin = bar ? bar + 1 : word + (*word == '!');
    const char *colon = strchr(begin, ':'), *name = begin, *value = colon ? colon + 1 : begin;
    if (!colon && bar) {
        name = word + (*word == '!');
        colon = strchr(name, ':');
    }
    cl->word += (size_t)(value - word);
    if (!colon || colon == name) {
        offer_columns(ui, cl, value, ":");
        return;
    }
    char *column = xstrndup(name, (size_t)(colon - name));
    offer_values(ui, cl, column, value);
    free(column);
}

static void offer_signals(struct cmdline *cl, const char *word)
{
    static const char *const names[] = {"TERM", "INT", "USR1", "USR2", "HUP", "CONT", "STOP", "KILL"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        candidates_offer(cl, word, names[i], NULL);
}

/* The files known so far; the completion is repeated when the directory has been listed. */
static void offer_files(struct ui *ui, struct cmdline *cl, const char *word)
{
    const char *slash = strrchr(word, '/');
    char *dir = slash ? xstrndup(word, (size_t)(slash - word) + 1) : xstrdup("");
    size_t at = strlen(dir);
    bool known = cl->listed && str_eq(cl->listing, dir);
    const struct strv *files = files_in(ui, dir, command_complete);
    for (size_t i = 0; known && i < files->n; i++)
        if (files->v[i][at] != '.' || word[at] == '.')
            candidates_offer(cl, word, files->v[i], NULL);
    free(dir);
}

static void offer_commands(const struct ui *ui, struct cmdline *cl, const char *word)
{
    for (size_t i = 0; i < ui->program.n_screens; i++) {
        char *name = xstrdup(ui->program.screens[i].ops->name);
        candidates_offer(cl, word, name, xasprintf(tr("%-20s screen, key %zu"), "", i + 1));
        free(name);
    }
    const struct user_commands *own = ui->o.commands;
    for (size_t k = 0; own && k < own->v.n; k++)
        candidates_offer(cl, word, own->v.v[k].name,
                         xasprintf("%-20s %s", "", own->v.v[k].help ? own->v.v[k].help : own->v.v[k].run));
    for (size_t k = 0; own && k < own->aliases.n; k++)
        candidates_offer(cl, word, own->aliases.v[k].name,
                         xasprintf("%-20s :%s", "", own->aliases.v[k].text));
#define X(name, other, args, kind, help) \
    candidates_offer(cl, word, #name, xasprintf("%-20s %s", args, tr(help)));
    COMMANDS(X)
#undef X
}

/* The kind of a command's arguments; COMPLETE_NONE if the command does not exist. */
static enum completion completes(const char *name)
{
    static const struct {
        const char *name, *other;
        enum completion kind;
    } commands[] = {
#define X(text, also, args, kind_, help) {.name = #text, .other = also, .kind = COMPLETE_##kind_},
        COMMANDS(X)
#undef X
    };
    for (size_t i = 0; i < sizeof commands / sizeof commands[0]; i++)
        if (str_eq(name, commands[i].name) || (commands[i].other && str_eq(name, commands[i].other)))
            return commands[i].kind;
    return COMPLETE_NONE;
}

static void complete_scontrol(struct ui *ui, struct cmdline *cl, const struct strv *words, size_t nth,
                              const char *word)
{
    static const char *const verbs[] = {"show", "hold", "release", "requeue", "update"}, *const things[] = {
                                                                                             "job", "node",
                                                                                             "partition",
                                                                                             "reservation"};
    bool show = nth > 1 && str_eq(words->v[1], "show");
    const char *thing = show && nth > 2 ? words->v[2] : "";
    if (nth == 1)
        for (size_t i = 0; i < sizeof verbs / sizeof verbs[0]; i++)
            candidates_offer(cl, word, verbs[i], NULL);
    else if (show && nth == 2)
        for (size_t i = 0; i < sizeof things / sizeof things[0]; i++)
            candidates_offer(cl, word, things[i], NULL);
    else if (str_eq(thing, "job"))
        complete_offer_jobs(ui, cl, word, true);
    else if (str_eq(thing, "node"))
        candidates_nodes(ui, cl, word);
    else if (!show && !str_eq(words->v[1], "update"))
        complete_offer_own(ui, cl, word);
}

static int complete_by_text(const void *pa, const void *pb)
{
    const struct word_candidate *a = pa, *b = pb;
    return strcmp(a->text, b->text);
}

static void offer_arguments(struct ui *ui, struct cmdline *cl, enum completion kind,
                            const struct strv *words, size_t nth, const char *word)
{
    switch (kind) {
    case COMPLETE_JOBS: complete_offer_jobs(ui, cl, word, true); return;
    case COMPLETE_OWN: complete_offer_own(ui, cl, word); return;
    case COMPLETE_SCONTROL: complete_scontrol(ui, cl, words, nth, word); return;
    case COMPLETE_NODES:
        if (nth == 1)
            candidates_nodes(ui, cl, word);
        return;
    case COMPLETE_THINGS:
        complete_offer_jobs(ui, cl, word, true);
        candidates_nodes(ui, cl, word);
        return;
    case COMPLETE_SIGNALS:
        if (nth == 1)
            offer_signals(cl, word);
        else
            complete_offer_jobs(ui, cl, word, false);
        return;
    case COMPLETE_FILES: offer_files(ui, cl, word); break;
    case COMPLETE_WORDS: complete_filter(ui, cl, word); return;
    case COMPLETE_COLUMNS: offer_columns(ui, cl, word, ""); return;
    case COMPLETE_THEMES:
        for (size_t i = 0; i < ui->o.themes.n; i++)
            candidates_offer(cl, word, ui->o.themes.v[i], NULL);
        return;
    case COMPLETE_VIEWS: offer_views(ui, cl, word); return;
    case COMPLETE_WINDOW: complete_window(ui, cl, words, nth, word); return;
    case COMPLETE_WINDOWS: complete_windows(ui, cl, words, nth, word); return;
    case COMPLETE_COMMANDS: offer_commands(ui, cl, word); break;
    case COMPLETE_NONE: return;
    }
    if (cl->candidates.n > 1)
        qsort(cl->candidates.v, cl->candidates.n, sizeof *cl->candidates.v, complete_by_text);
}

void command_complete(struct ui *ui)
{
    struct cmdline *cl = ui->cmd;
    candidates_clear(cl);
    char *text = xstrndup(cl->edit.text.s, cl->edit.at);
    const char *blank = strrchr(text, ' ');
    cl->word = blank ? (size_t)(blank - text) + 1 : 0;
    char *word = xstrdup(text + cl->word);
    struct strv words = strv_split(text, " ");
    size_t nth = words.n && *word ? words.n - 1 : words.n;
    enum completion kind = nth == 0 ? COMPLETE_COMMANDS : completes(words.v[0]);
    offer_arguments(ui, cl, kind, &words, nth, word);
    strv_fini(&words);
    free(word);
    free(text);
}
