/* strpool_find.c - looks up texts in the set of shared texts, and holds them. Decoding a message needs
 * nothing else of the set. */
#include <stdlib.h>
#include <string.h>

#include "src/base/strpool_private.h"
#include "src/base/xalloc.h"

/* Eight bytes at a time: a snapshot needs a million look-ups. */
static uint32_t strpool_hash(const char *s, size_t n)
{
    const uint64_t odd = 0x9e3779b97f4a7c15u;
    uint64_t h = n * odd, w;
    for (; n >= sizeof w; n -= sizeof w, s += sizeof w) {
        memcpy(&w, s, sizeof w);
        h = (h ^ w) * odd;
        h ^= h >> 29;
    }
    w = 0;
    memcpy(&w, s, n);
    h = (h ^ w) * odd;
    return (uint32_t)(h >> 32);
}

struct strpool_key strpool_text_key(const char *s, size_t n)
{
    return (struct strpool_key){.s = s, .n = n, .hash = strpool_hash(s, n)};
}

struct strpool_key strpool_struct_key(const void *p, size_t n)
{
    return (struct strpool_key){.s = p, .n = n, .hash = ~strpool_hash(p, n), .is_struct = true};
}

static bool strpool_says(const struct slot *at, const struct strpool_key *k)
{
    return at->hash == k->hash && at->n == k->n && at->is_struct == k->is_struct &&
           memcmp(at->s, k->s, k->n) == 0;
}

struct slot *strpool_find(const struct strpool *t, const struct strpool_key *k)
{
    size_t i = k->hash & (t->cap - 1);
    while (t->slots[i].s && !strpool_says(&t->slots[i], k))
        i = (i + 1) & (t->cap - 1);
    return &t->slots[i];
}

static void strpool_grow(struct strpool *t)
{
    struct slot *old = t->slots;
    size_t n = t->cap;
    t->cap *= 2;
    t->slots = xcalloc(t->cap, sizeof *t->slots);
    for (size_t k = 0; k < n; k++) {
        size_t i = old[k].hash & (t->cap - 1);
        while (old[k].s && t->slots[i].s)
            i = (i + 1) & (t->cap - 1);
        if (old[k].s)
            t->slots[i] = old[k];
    }
    free(old);
}

void strpool_meet(struct strpool *t, struct slot *at, char *own, const struct strpool_key *k)
{
    uint32_t *seen = &t->seen[k->hash & (STRPOOL_NEW - 1)];
    if (*seen != k->hash) {
        *seen = k->hash;
        return;
    }
    *at = (struct slot){.s = own, .hash = k->hash, .holders = 1, .n = k->n, .is_struct = k->is_struct};
    if (++t->n * 2 > t->cap) /* most look-ups find nothing */
        strpool_grow(t);
}

char *strpool_hold(struct strpool *t, const char *s, size_t n)
{
    struct strpool_key k = strpool_text_key(s, n);
    struct slot *at = strpool_find(t, &k);
    if (at->s) {
        at->holders++;
        return at->s;
    }
    char *own = xmalloc(n + 1);
    memcpy(own, s, n);
    own[n] = '\0';
    strpool_meet(t, at, own, &k);
    return own;
}
