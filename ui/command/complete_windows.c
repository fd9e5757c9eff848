/* complete_windows.c - the candidates of :window and :windows. */
#include "ui/command/complete_windows.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "src/base/xalloc.h"
#include "src/lang/lang.h"
#include "ui/command/command_windows.h"
#include "ui/command/word_candidates.h"
#include "ui/dialogs/window_edit.h"
#include "ui/info/window_text.h"

static void offer_names(struct ui *ui, struct cmdline *cl, const char *word)
{
    for (size_t i = 0; i < ui->m->windows.n; i++) {
        struct rich r;
        rich_init(&r);
        window_words(&r, ui, &ui->m->windows.v[i]);
        candidates_offer(cl, word, ui->m->windows.v[i].name, str_take(&r.text));
        rich_fini(&r);
    }
}

static void offer_all(struct cmdline *cl, const char *word, const char *const *texts, size_t n)
{
    for (size_t i = 0; i < n; i++)
        candidates_offer(cl, word, texts[i], NULL);
}

/* The users in the accounts and jobs. */
static void offer_users(struct ui *ui, struct cmdline *cl, const char *word)
{
    word = candidates_last(cl, word);
    for (size_t i = 0; i < ui->m->spec.accounts.n; i++)
        for (size_t k = 0; k < ui->m->spec.accounts.v[i].users.n; k++)
            candidates_offer_once(cl, word, ui->m->spec.accounts.v[i].users.v[k].name);
    list_for_each (j, &ui->m->all, struct job, in_all)
        candidates_offer_once(cl, word, j->user);
}

static void offer_accounts(struct ui *ui, struct cmdline *cl, const char *word)
{
    word = candidates_last(cl, word);
    for (size_t i = 0; i < ui->m->spec.accounts.n; i++)
        candidates_offer_once(cl, word, ui->m->spec.accounts.v[i].name);
    list_for_each (j, &ui->m->all, struct job, in_all)
        candidates_offer_once(cl, word, j->req.account);
}

static void offer_value(struct ui *ui, struct cmdline *cl, const char *key, const char *word)
{
    static const char *const times[] = {"now", "now+1hour", "now+1day", "tomorrow", "noon", "midnight"};
    static const char *const lengths[] = {"30m", "1h", "2h", "4h", "8h", "1d", "1w"};
    if (str_ieq(key, "start") || str_ieq(key, "end"))
        offer_all(cl, word, times + str_ieq(key, "end"),
                  sizeof times / sizeof times[0] - str_ieq(key, "end"));
    else if (str_ieq(key, "duration"))
        offer_all(cl, word, lengths, sizeof lengths / sizeof lengths[0]);
    else if (str_ieq(key, "nodes"))
        candidates_nodes(ui, cl, word);
    else if (str_ieq(key, "users"))
        offer_users(ui, cl, word);
    else if (str_ieq(key, "accounts"))
        offer_accounts(ui, cl, word);
}

static bool is_given(const struct strv *words, const char *key)
{
    for (size_t i = 0; i < words->n; i++)
        if (strncasecmp(words->v[i], key, strlen(key)) == 0 && words->v[i][strlen(key)] == '=')
            return true;
    return false;
}

/* A pair of the line: the keys not used yet, or the values of the present key. */
static void offer_pair(struct ui *ui, struct cmdline *cl, const struct strv *words, bool change,
                       const char *word)
{
    static const struct {
        const char *key, *help;
    } keys[] = {
#define X(name, says) {.key = name, .help = says},
        WINDOWLINE_KEYS(X)
#undef X
    };
    const char *equals = strchr(word, '=');
    if (equals) {
        char *key = xstrndup(word, (size_t)(equals - word));
        cl->word += (size_t)(equals - word) + 1;
        offer_value(ui, cl, key, equals + 1);
        free(key);
        return;
    }
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++) {
        /* the nodes of a new window, or the name of an old one, come before the pairs */
        if (str_eq(keys[i].key, change ? "name" : "nodes") || is_given(words, keys[i].key))
            continue;
        char *text = xasprintf("%s=", keys[i].key);
        candidates_offer(cl, word, text, xstrdup(tr(keys[i].help)));
        free(text);
    }
}

static void offer_new(struct ui *ui, struct cmdline *cl, const struct strv *words, bool first,
                      const char *word)
{
    if (!first) {
        offer_pair(ui, cl, words, false, word);
        return;
    }
    candidates_nodes(ui, cl, word);
    candidates_offer(cl, word, WINDOW_ALL_NODES, xstrdup(tr("every node")));
}

void complete_window(struct ui *ui, struct cmdline *cl, const struct strv *words, size_t nth,
                     const char *word)
{
    offer_new(ui, cl, words, nth == 1, word);
}

void complete_windows(struct ui *ui, struct cmdline *cl, const struct strv *words, size_t nth,
                      const char *word)
{
    const char *verb = nth > 1 ? words->v[1] : "";
    if (nth == 1) {
#define X(name, help, run) candidates_offer(cl, word, name, xstrdup(tr(help)));
        WINDOW_VERBS(X)
#undef X
        offer_names(ui, cl, word);
    } else if (str_eq(verb, "add")) {
        offer_new(ui, cl, words, nth == 2, word);
    } else if (str_eq(verb, "change") && nth > 2) {
        offer_pair(ui, cl, words, true, word);
    } else if (str_eq(verb, "change") || str_eq(verb, "delete") || (str_eq(verb, "show") && nth == 2)) {
        offer_names(ui, cl, word);
    }
}
