/* strpool.c - the set of shared texts: open addressing, a slot for each text with its hash and its count.
 *
 * What is the only one of its kind never gets in, so the set stays small however many there are: a text is
 * taken in when it comes a second time, as far as the hashes of the latest new ones remember. */
#include "src/base/strpool.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "src/base/err.h"
#include "src/base/xalloc.h"

struct slot {
    char *s; /* NULL: free */
    uint32_t hash, holders;
};

#define CAP_MIN 64
#define NEW     4096 /* a power of two */

struct strpool {
    struct slot *slots;
    size_t n, cap; /* cap is a power of two */
    unsigned owners;
    uint32_t seen[NEW]; /* hashes of what came once, each at its place */
};

struct strpool *strpool_new(void)
{
    struct strpool *t = xcalloc(1, sizeof *t);
    t->slots = xcalloc(CAP_MIN, sizeof *t->slots);
    t->cap = CAP_MIN;
    t->owners = 1;
    return t;
}

struct strpool *strpool_ref(struct strpool *t)
{
    t->owners++;
    return t;
}

void strpool_unref(struct strpool *t)
{
    if (!t || --t->owners)
        return;
    bug_on(t->n);
    free(t->slots);
    free(t);
}

/* Eight letters at a time: a snapshot asks a million times. */
static uint32_t hash_of(const char *s, size_t n)
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

static bool strpool_says(const struct slot *at, const char *s, size_t n)
{
    return strncmp(at->s, s, n) == 0 && !at->s[n];
}

/* The slot of the text of those n bytes, or the free one where it belongs. */
static struct slot *strpool_find(const struct strpool *t, const char *s, size_t n, uint32_t hash)
{
    size_t i = hash & (t->cap - 1);
    while (t->slots[i].s && (t->slots[i].hash != hash || !strpool_says(&t->slots[i], s, n)))
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

/* s has not been found, at is where it belongs: is it the second time? */
static void strpool_meet(struct strpool *t, struct slot *at, char *s, uint32_t hash)
{
    if (t->seen[hash & (NEW - 1)] != hash) {
        t->seen[hash & (NEW - 1)] = hash;
        return;
    }
    *at = (struct slot){.s = s, .hash = hash, .holders = 1};
    if (++t->n * 2 > t->cap) /* most look-ups are for what is not here */
        strpool_grow(t);
}

char *strpool_take(struct strpool *t, char *s)
{
    if (!s)
        return NULL;
    size_t n = strlen(s);
    uint32_t hash = hash_of(s, n);
    struct slot *at = strpool_find(t, s, n, hash);
    if (at->s) {
        bug_on(at->s == s);
        free(s);
        at->holders++;
        return at->s;
    }
    strpool_meet(t, at, s, hash);
    return s;
}

char *strpool_hold(struct strpool *t, const char *s, size_t n)
{
    uint32_t hash = hash_of(s, n);
    struct slot *at = strpool_find(t, s, n, hash);
    if (at->s) {
        at->holders++;
        return at->s;
    }
    char *own = xmalloc(n + 1);
    memcpy(own, s, n);
    own[n] = '\0';
    strpool_meet(t, at, own, hash);
    return own;
}

/* Closes the gap, so that every text is still found from its own place on. */
static void remove_slot(struct strpool *t, struct slot *at)
{
    size_t hole = (size_t)(at - t->slots), mask = t->cap - 1;
    for (size_t i = (hole + 1) & mask; t->slots[i].s; i = (i + 1) & mask) {
        size_t home = t->slots[i].hash & mask;
        if (((i - home) & mask) >= ((i - hole) & mask)) {
            t->slots[hole] = t->slots[i];
            hole = i;
        }
    }
    t->slots[hole] = (struct slot){.s = NULL};
    t->n--;
}

/* One holder less. Returns whether that was the last: then the text is not in the set, or never was. */
static bool let_go(struct strpool *t, const char *s)
{
    size_t n = strlen(s);
    struct slot *at = strpool_find(t, s, n, hash_of(s, n));
    if (at->s != s)
        return true;
    if (--at->holders)
        return false;
    remove_slot(t, at);
    return true;
}

char *strpool_give(struct strpool *t, char *s)
{
    return s && !let_go(t, s) ? xstrdup(s) : s;
}

void strpool_drop(struct strpool *t, char *s)
{
    if (s && let_go(t, s))
        free(s);
}

size_t strpool_count(const struct strpool *t)
{
    return t->n;
}
