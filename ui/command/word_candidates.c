/* word_candidates.c - the candidates of a word. */
#include "ui/command/word_candidates.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "src/base/xalloc.h"

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

static bool candidates_fits(const char *text, const char *word)
{
    return strncasecmp(text, word, strlen(word)) == 0;
}

bool candidates_are_full(const struct cmdline *cl)
{
    return cl->candidates.n >= CANDIDATES_MAX;
}

void candidates_offer(struct cmdline *cl, const char *word, const char *text, char *take_note)
{
    if (candidates_are_full(cl) || !candidates_fits(text, word)) {
        free(take_note);
        return;
    }
    vec_push(&cl->candidates, (struct word_candidate){.text = xstrdup(text), .note = take_note});
}

void candidates_offer_once(struct cmdline *cl, const char *word, const char *text)
{
    if (str_is_empty(text) || idmap_get(&cl->seen, (uintptr_t)text))
        return;
    idmap_set(&cl->seen, (uintptr_t)text, cl);
    vec_for_each (&cl->candidates, i)
        if (str_eq(cl->candidates.v[i].text, text))
            return;
    candidates_offer(cl, word, text, NULL);
}

const char *candidates_last(struct cmdline *cl, const char *word)
{
    const char *open = strrchr(word, '['), *comma = strrchr(word, ',');
    if (!comma || (open && !strchr(open, ']')))
        return word;
    cl->word += (size_t)(comma + 1 - word);
    return comma + 1;
}

void candidates_nodes(struct ui *ui, struct cmdline *cl, const char *word)
{
    word = candidates_last(cl, word);
    for (size_t i = 0; i < ui->m->n_nodes; i++) {
        const struct node *n = ui->m->nodes[i];
        candidates_offer(cl, word, n->spec.name,
                         n->drain ? xasprintf("drained: %s", n->drain_reason ? n->drain_reason : "")
                                  : NULL);
    }
}
