#include "backend/store/large.h"

#include <stdlib.h>
#include <string.h>

#include "src/base/xalloc.h"

void large_list_init(struct large_list *l, int64_t newest)
{
    *l = (struct large_list){.next = newest + 1, .may_remain = newest > 0};
    list_init(&l->all);
}

static void large_free(struct large_list *l, struct store_large *g)
{
    list_unlink(&g->link);
    l->may_remain = true;
    if (g->bytes.len)
        explicit_bzero(g->bytes.s, g->bytes.len); /* environments hold tokens */
    str_fini(&g->bytes);
    free(g);
}

void large_list_fini(struct large_list *l)
{
    list_for_each (g, &l->all, struct store_large, link)
        large_free(l, g);
}

struct store_large *large_begin(struct large_list *l, uint32_t owner, struct str *bytes, store_large_fn fn,
                                void *ctx)
{
    struct store_large *g = xcalloc(1, sizeof *g);
    *g = (struct store_large){.number = l->next++, .owner = owner, .bytes = *bytes, .fn = fn, .ctx = ctx};
    str_init(bytes);
    list_init(&g->link);
    list_append(&l->all, &g->link);
    return g;
}

void large_end(struct large_list *l, struct store_large *g, uint64_t ticket, uint64_t committed)
{
    g->ended = true;
    g->ticket = ticket;
    if (ticket <= committed)
        large_free(l, g);
}

struct store_large *large_next(struct large_list *l)
{
    struct store_large *next = NULL;
    struct list others;
    list_for_each (g, &l->all, struct store_large, link)
        if (!next && !g->ended && g->added < g->bytes.len)
            next = g;
    if (!next)
        return NULL;
    list_init(&others);
    list_for_each (g, &l->all, struct store_large, link)
        if (g->owner == next->owner)
            list_move_to_end(&others, &g->link);
    while (!list_empty(&others))
        list_move_to_end(&l->all, others.next);
    return next;
}

void large_committed(struct large_list *l, uint64_t ticket)
{
    struct list ready;
    list_init(&ready);
    list_for_each (g, &l->all, struct store_large, link) {
        if (g->ticket > ticket)
            continue;
        if (g->ended)
            large_free(l, g);
        else if (!g->told && g->added == g->bytes.len)
            list_move_to_end(&ready, &g->link);
    }
    while (!list_empty(&ready)) { /* each may end others */
        struct store_large *g = list_first(&ready, struct store_large, link);
        list_move_to_end(&l->all, &g->link);
        if (g->ended)
            continue;
        g->told = true;
        g->fn(g->ctx);
    }
}

void large_reset(struct large_list *l)
{
    list_for_each (g, &l->all, struct store_large, link) {
        if (g->ended)
            large_free(l, g);
        else
            g->told = true; /* some of it may not be on disk: it is never told */
    }
}

int64_t large_bound(const struct large_list *l)
{
    int64_t bound = l->next;
    list_for_each (g, &l->all, struct store_large, link)
        bound = g->number < bound ? g->number : bound;
    return bound;
}
