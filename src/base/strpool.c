/* strpool.c - the set of shared texts.
 *
 * What is the only one of its kind never gets in, so the set stays small however many there are: a text is
 * taken in when it comes a second time, as far as the hashes of the latest new ones remember. */
#include <stdlib.h>
#include <string.h>

#include "src/base/err.h"
#include "src/base/strpool_private.h"
#include "src/base/xalloc.h"

#define CAP_MIN 64

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

/* own: the key as allocated bytes. */
static char *strpool_take_any(struct strpool *t, char *own, const struct strpool_key *k)
{
    struct slot *at = strpool_find(t, k);
    if (at->s) {
        bug_on(at->s == own);
        free(own);
        at->holders++;
        return at->s;
    }
    strpool_meet(t, at, own, k);
    return own;
}

char *strpool_take(struct strpool *t, char *s)
{
    if (!s)
        return NULL;
    struct strpool_key k = strpool_text_key(s, strlen(s));
    return strpool_take_any(t, s, &k);
}

void *strpool_take_struct(struct strpool *t, void *p, size_t n)
{
    struct strpool_key k = strpool_struct_key(p, n);
    return strpool_take_any(t, p, &k);
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

/* Removes a holder. Returns whether it was the last: then the key has left the set, or was never in it. */
static bool let_go(struct strpool *t, const struct strpool_key *k)
{
    struct slot *at = strpool_find(t, k);
    if (at->s != k->s)
        return true;
    if (--at->holders)
        return false;
    remove_slot(t, at);
    return true;
}

static bool strpool_let_text_go(struct strpool *t, const char *s)
{
    struct strpool_key k = strpool_text_key(s, strlen(s));
    return let_go(t, &k);
}

char *strpool_give(struct strpool *t, char *s)
{
    return s && !strpool_let_text_go(t, s) ? xstrdup(s) : s;
}

void *strpool_give_struct(struct strpool *t, void *p, size_t n)
{
    struct strpool_key k = strpool_struct_key(p, n);
    return let_go(t, &k) ? p : xmemdup(p, n);
}

void strpool_drop(struct strpool *t, char *s)
{
    if (s && strpool_let_text_go(t, s))
        free(s);
}

size_t strpool_count(const struct strpool *t)
{
    return t->n;
}
