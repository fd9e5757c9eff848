/* usage_table.c - the rows of what all users have used, found by their names. */
#include <stdlib.h>
#include <string.h>

#include "src/base/siphash.h"
#include "src/base/xalloc.h"
#include "src/model/model_private.h"
#include "src/model/usage.h"

#define N_NAMES 4

uint64_t usage_key(const char *const *names, size_t n)
{
    uint64_t h = 0;
    for (size_t i = 0; i < n; i++)
        h = (h ^ hash_text(names[i], strlen(names[i]))) * 0x9e3779b97f4a7c15u;
    return h;
}

static bool usage_table_is_named(const struct usage_row *r, const char *const *names)
{
    return str_eq(r->account, names[0]) && str_eq(r->user, names[1]) && str_eq(r->qos, names[2]) &&
           str_eq(r->partition, names[3]);
}

struct usage_row *usage_row_of(struct usage *u, const char *const *names)
{
    uint64_t key = usage_key(names, N_NAMES);
    uintptr_t at;
    while ((at = (uintptr_t)idmap_get(&u->by_key, key))) {
        if (usage_table_is_named(&u->rows[at - 1], names))
            return &u->rows[at - 1];
        key++; /* two of one hash: the next one is free or its own */
    }
    if (u->n == u->cap) {
        u->cap = u->cap ? u->cap * 2 : 16;
        u->rows = xreallocarray(u->rows, u->cap, sizeof *u->rows);
    }
    struct usage_row *r = &u->rows[u->n++];
    *r = (struct usage_row){.account = xstrdup(names[0]),
                            .user = xstrdup(names[1]),
                            .qos = xstrdup(names[2]),
                            .partition = xstrdup(names[3])};
    idmap_set(&u->by_key, key, (void *)(uintptr_t)u->n);
    return r;
}

void usage_fini(struct usage *u)
{
    for (size_t i = 0; i < u->n; i++)
        rec_fini(&usage_row_rec, &u->rows[i]);
    free(u->rows);
    idmap_fini(&u->by_key);
    *u = (struct usage){0};
}
