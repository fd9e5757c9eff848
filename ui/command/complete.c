/* complete.c - what can be typed next behind ':'. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "src/base/utf8.h"
#include "src/base/xalloc.h"
#include "src/text/jobtext.h"
#include "ui/frame/frame_internal.h"
#include "ui/view/view_text.h"
#include "ui/widget/table.h"

#define CANDIDATES_MAX 200

void candidates_clear(struct cmdline *cl)
{
    vec_for_each (&cl->candidates, i) {
        free(cl->candidates.v[i].text);
        free(cl->candidates.v[i].note);
    }
    vec_clear(&cl->candidates);
    idmap_fini(&cl->seen);
    cl->chosen = -1;
}

static bool begins_with(const char *text, const char *word)
{
    return strncasecmp(text, word, strlen(word)) == 0;
}

void candidates_offer(struct cmdline *cl, const char *word, const char *text, char *take_note)
{
    if (cl->candidates.n >= CANDIDATES_MAX || !begins_with(text, word)) {
        free(take_note);
        return;
    }
    vec_push(&cl->candidates, (struct candidate){.text = xstrdup(text), .note = take_note});
}

static void offer(struct cmdline *cl, const char *word, const char *text, char *take_note)
{
    candidates_offer(cl, word, text, take_note);
}

/* Jobs share their texts: most have been here already. */
static void offer_once(struct cmdline *cl, const char *word, const char *text)
{
    if (str_is_empty(text) || idmap_get(&cl->seen, (uintptr_t)text))
        return;
    idmap_set(&cl->seen, (uintptr_t)text, cl);
    vec_for_each (&cl->candidates, i)
        if (str_eq(cl->candidates.v[i].text, text))
            return;
    offer(cl, word, text, NULL);
}

static void offer_job(struct cmdline *cl, const char *word, const struct job *j)
{
    char id[32];
    struct str note = STR_INIT;
    if (j->array_job && j->array_index != ARRAY_NONE)
        snprintf(id, sizeof id, "%u_%u", j->array_job, j->array_index);
    else
        snprintf(id, sizeof id, "%u", j->id);
    if (!begins_with(id, word)) /* most do not: what is said of them need not be made */
        return;
    str_appendf(&note, "%s, %s, %s", j->req.name ? j->req.name : "", j->user ? j->user : "",
                j->state == JOB_PENDING && j->hold ? "held" : job_state_word((enum job_state)j->state));
    offer(cl, word, id, str_take(&note));
}

static void offer_list(struct cmdline *cl, const char *word, const struct list *jobs)
{
    list_for_each (j, jobs, struct job, in_queue) {
        if (cl->candidates.n >= CANDIDATES_MAX)
            return;
        offer_job(cl, word, j);
    }
}

static void offer_jobs(struct ui *a, struct cmdline *cl, const char *word, bool ended)
{
    offer_list(cl, word, &a->m->active);
    offer_list(cl, word, &a->m->pending);
    if (ended)
        offer_list(cl, word, &a->m->ended);
}

const char *candidates_last(struct cmdline *cl, const char *word)
{
    const char *open = strrchr(word, '['), *comma = strrchr(word, ',');
    if (!comma || (open && !strchr(open, ']')))
        return word;
    cl->word += (size_t)(comma + 1 - word);
    return comma + 1;
}

void candidates_nodes(struct ui *a, struct cmdline *cl, const char *word)
{
    word = candidates_last(cl, word);
    for (size_t i = 0; i < a->m->n_nodes; i++) {
        const struct node *n = a->m->nodes[i];
        offer(cl, word, n->spec.name,
              n->drain ? xasprintf("drained: %s", n->drain_reason ? n->drain_reason : "") : NULL);
    }
}

static void offer_views(struct ui *a, struct cmdline *cl, const char *word)
{
    for (size_t i = 0; i < a->o.prefs->named.n; i++) {
        struct str words = STR_INIT;
        remember_words(&a->o.prefs->named.v[i].shows, &words);
        offer(cl, word, a->o.prefs->named.v[i].name, str_take(&words));
    }
}

static void offer_columns(struct ui *a, struct cmdline *cl, const char *word, const char *tail)
{
    struct view *v = app_view(a);
    const struct table *t = v->ops->table ? v->ops->table(v) : NULL;
    for (size_t i = 0; t && i < t->n_cols; i++) {
        char *name = xasprintf("%s%s", t->cols[i].name, tail);
        offer(cl, word, name, NULL);
        free(name);
    }
}

/* What a column's filter may look for: values that there are. */
static void offer_values(struct ui *a, struct cmdline *cl, const char *column, const char *word)
{
    if (strncasecmp(column, "state", strlen(column)) == 0) {
        for (int k = 0; k < JOB_N_STATES; k++)
            if (!strchr(job_state_word((enum job_state)k), ' ')) /* a filter's words have no blanks */
                offer(cl, word, job_state_word((enum job_state)k), NULL);
        offer(cl, word, "held", NULL);
    }
    if (strncasecmp(column, "partition", strlen(column)) == 0)
        for (size_t i = 0; i < a->m->spec.parts.n; i++)
            offer(cl, word, a->m->spec.parts.v[i].name, NULL);
    else if (strncasecmp(column, "user", strlen(column)) == 0)
        list_for_each (j, &a->m->all, struct job, in_all)
            offer_once(cl, word, j->user);
    else if (strncasecmp(column, "account", strlen(column)) == 0)
        list_for_each (k, &a->m->all, struct job, in_all)
            offer_once(cl, word, k->req.account);
}

static void offer_filter(struct ui *a, struct cmdline *cl, const char *word)
{
    const char *colon = strchr(word, ':');
    if (!colon) {
        offer_columns(a, cl, word, ":");
        return;
    }
    char *column = xstrndup(word, (size_t)(colon - word));
    cl->word += (size_t)(colon - word) + 1;
    if (*column)
        offer_values(a, cl, column, colon + 1);
    free(column);
}

static void offer_signals(struct cmdline *cl, const char *word)
{
    static const char *const names[] = {"TERM", "INT", "USR1", "USR2", "HUP", "CONT", "STOP", "KILL"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        offer(cl, word, names[i], NULL);
}

/* What is known of the directory; it is completed again when it has been listed. */
static void offer_files(struct ui *a, struct cmdline *cl, const char *word)
{
    const char *slash = strrchr(word, '/');
    char *dir = slash ? xstrndup(word, (size_t)(slash - word) + 1) : xstrdup("");
    size_t at = strlen(dir);
    bool known = cl->listed && str_eq(cl->listing, dir);
    const struct strv *files = files_in(a, dir);
    for (size_t i = 0; known && i < files->n; i++)
        if (files->v[i][at] != '.' || word[at] == '.')
            offer(cl, word, files->v[i], NULL);
    free(dir);
}

static void offer_commands(struct cmdline *cl, const char *word)
{
    for (size_t i = 0; i < screens_count(); i++) {
        char *name = xstrdup(screens[i]->name);
        offer(cl, word, name, xasprintf("%-20s the screen, key %zu", "", i + 1));
        free(name);
    }
#define X(name, other, args, kind, help) offer(cl, word, #name, xasprintf("%-20s %s", args, help));
    COMMANDS(X)
#undef X
}

/* What a command's arguments are; COMPLETE_NONE where there is no such command. */
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

static int by_text(const void *pa, const void *pb)
{
    const struct candidate *a = pa, *b = pb;
    return strcmp(a->text, b->text);
}

static void offer_arguments(struct ui *a, struct cmdline *cl, enum completion kind,
                            const struct strv *words, size_t nth, const char *word)
{
    switch (kind) {
    case COMPLETE_JOBS: offer_jobs(a, cl, word, true); return;
    case COMPLETE_NODES:
        if (nth == 1)
            candidates_nodes(a, cl, word);
        return;
    case COMPLETE_THINGS:
        offer_jobs(a, cl, word, true);
        candidates_nodes(a, cl, word);
        return;
    case COMPLETE_SIGNALS:
        if (nth == 1)
            offer_signals(cl, word);
        else
            offer_jobs(a, cl, word, false);
        return;
    case COMPLETE_FILES: offer_files(a, cl, word); break;
    case COMPLETE_WORDS: offer_filter(a, cl, word); return;
    case COMPLETE_COLUMNS: offer_columns(a, cl, word, ""); return;
    case COMPLETE_THEMES:
        for (size_t i = 0; i < a->o.themes.n; i++)
            offer(cl, word, a->o.themes.v[i], NULL);
        return;
    case COMPLETE_VIEWS: offer_views(a, cl, word); return;
    case COMPLETE_WINDOW: complete_window(a, cl, words, nth, word); return;
    case COMPLETE_WINDOWS: complete_windows(a, cl, words, nth, word); return;
    case COMPLETE_COMMANDS: offer_commands(cl, word); break;
    case COMPLETE_NONE: return;
    }
    if (cl->candidates.n > 1)
        qsort(cl->candidates.v, cl->candidates.n, sizeof *cl->candidates.v, by_text);
}

void command_complete(struct ui *a)
{
    struct cmdline *cl = &a->cmd;
    candidates_clear(cl);
    char *text = xstrndup(cl->edit.text.s, cl->edit.at);
    const char *blank = strrchr(text, ' ');
    cl->word = blank ? (size_t)(blank - text) + 1 : 0;
    char *word = xstrdup(text + cl->word);
    struct strv words = strv_split(text, " ");
    size_t nth = words.n && *word ? words.n - 1 : words.n;
    enum completion kind = nth == 0 ? COMPLETE_COMMANDS : completes(words.v[0]);
    offer_arguments(a, cl, kind, &words, nth, word);
    strv_fini(&words);
    free(word);
    free(text);
}
