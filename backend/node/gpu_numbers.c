/* gpu_numbers.c - the cards of this machine under the numbers that jobs know. */
#include "backend/node/gpu_numbers.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "src/base/xalloc.h"

static struct card *cards_card_at(struct cards *c, const char *bus)
{
    for (uint32_t i = 0; i < c->n; i++)
        if (strcmp(c->v[i].is.bus, bus) == 0)
            return &c->v[i];
    return NULL;
}

/* --- strangers --- */

static bool is_on(const struct gpu_sample *g, const struct gpu_proc *p, const struct card *card)
{
    return strcmp(g->cards[p->card].bus, card->is.bus) == 0;
}

/* The first stranger stays the one that is named: else each sample would be news. */
static void take_strangers(struct cards *c, uint32_t at, const struct gpu_sample *g, cards_stranger_fn fn,
                           void *ctx)
{
    struct card *card = &c->v[at];
    char text[sizeof card->stranger], first[sizeof card->stranger] = "";
    int32_t first_pid = 0;
    bool same = false;
    card->strangers = 0;
    for (uint32_t i = 0; i < g->n_procs; i++) {
        int32_t pid = g->procs[i].pid;
        if (!is_on(g, &g->procs[i], card) || !fn(ctx, at, pid, text, sizeof text))
            continue;
        card->strangers++;
        same = same || (card->stranger[0] && card->stranger_pid == pid);
        if (first_pid)
            continue;
        first_pid = pid;
        memcpy(first, text, sizeof first);
    }
    card->clean = card->strangers ? 0 : card->clean + 1;
    if (card->strangers && !same) {
        card->stranger_pid = first_pid;
        memcpy(card->stranger, first, sizeof card->stranger);
    } else if (card->clean >= CARDS_CLEAN_LOOKS) {
        card->clean = 0;
        card->stranger[0] = '\0';
    }
}

/* --- a look --- */

static bool take_cards(struct cards *c, const struct gpu_sample *g)
{
    bool grew = false;
    for (uint32_t i = 0; i < c->n; i++)
        c->v[i].lost = true;
    for (uint32_t i = 0; i < g->n_cards; i++) {
        const struct gpu_card *seen = &g->cards[i];
        struct card *card = cards_card_at(c, seen->bus);
        if (!card && (c->n == GPU_CARDS_MAX || (seen->lost && !seen->uuid[0])))
            continue;
        if (!card) {
            card = &c->v[c->n++];
            *card = (struct card){.is = *seen};
            grew = true;
        }
        card->lost = seen->lost;
        if (seen->lost) {
            card->is.busy_pct = 0;
            card->is.used_mib = 0;
        } else {
            card->is = *seen;
        }
    }
    return grew;
}

bool cards_take(struct cards *c, const struct gpu_sample *g, cards_stranger_fn fn, void *ctx)
{
    memcpy(c->way, g->way, sizeof c->way);
    memcpy(c->trouble, g->trouble, sizeof c->trouble);
    c->unnamed = g->unnamed;
    if (g->trouble[0]) { /* a driver that fails takes all its cards with it */
        for (uint32_t i = 0; i < c->n; i++)
            c->v[i].lost = true;
        return false;
    }
    c->answered = true;
    bool grew = take_cards(c, g);
    for (uint32_t i = 0; i < c->n; i++)
        take_strangers(c, i, g, fn, ctx);
    return grew;
}

void cards_out(const struct cards *c, uint32_t n, struct cpuset *ret_out, struct cpuset *ret_lost,
               struct strv *notes)
{
    *ret_out = *ret_lost = (struct cpuset){0};
    for (uint32_t i = 0; i < n && i < CPUSET_MAX && (i < c->n || c->answered); i++) {
        const struct card *card = i < c->n ? &c->v[i] : NULL;
        bool lost = !card || card->lost;
        if (!lost && !card->stranger[0])
            continue;
        cpuset_add(ret_out, i);
        if (lost)
            cpuset_add(ret_lost, i);
        strv_push_take(notes, !card           ? xasprintf("GPU %u: declared, and not there", i)
                              : c->trouble[0] ? xasprintf("GPU %u: its driver fails: %s", i, c->trouble)
                              : lost          ? xasprintf("GPU %u: lost (%s)", i, card->is.bus)
                                              : xasprintf("GPU %u: used by %s", i, card->stranger));
    }
}

void cards_names(const struct cards *c, bool always, struct strv *ret)
{
    bool shifted = always;
    for (uint32_t i = 0; i < c->n; i++)
        shifted = shifted || c->v[i].lost || !c->v[i].is.uuid[0] ||
                  (i && strlen(c->v[i].is.bus) == strlen(c->v[i - 1].is.bus) &&
                   strcmp(c->v[i].is.bus, c->v[i - 1].is.bus) < 0);
    for (uint32_t i = 0; i < c->n && shifted; i++) {
        char number[16];
        snprintf(number, sizeof number, "%u", i);
        strv_push(ret, c->v[i].is.uuid[0] ? c->v[i].is.uuid : number);
    }
}

/* --- over a restart --- */

void cards_save(const struct cards *c, const char *boot_id, struct str *out)
{
    struct gpu_sample *g = xcalloc(1, sizeof *g);
    for (uint32_t i = 0; i < c->n; i++)
        g->cards[g->n_cards++] = c->v[i].is;
    str_appendf(out, "%s\n", boot_id);
    gpu_sample_format(g, out);
    free(g);
}

bool cards_load(struct cards *c, const char *boot_id, const char *text)
{
    struct gpu_sample *g = xcalloc(1, sizeof *g);
    size_t len = strlen(boot_id);
    memset(c, 0, sizeof *c);
    bool ok =
        strncmp(text, boot_id, len) == 0 && text[len] == '\n' && gpu_sample_parse(text + len + 1, g) == 0;
    for (uint32_t i = 0; ok && i < g->n_cards; i++)
        c->v[c->n++] = (struct card){.is = g->cards[i]};
    free(g);
    return ok;
}
