/* idmap.c - hash map from 64-bit ids to pointers. */
#include "src/base/idmap.h"

#include <stdbool.h>
#include <stdlib.h>

#include "src/base/err.h"
#include "src/base/xalloc.h"

/* The finaliser of splitmix64: ids are mostly consecutive, their low bits alone would cluster. */
static size_t slot_of(const struct idmap *m, uint64_t id)
{
    id ^= id >> 30;
    id *= 0xbf58476d1ce4e5b9u;
    id ^= id >> 27;
    id *= 0x94d049bb133111ebu;
    id ^= id >> 31;
    return (size_t)id & (m->cap - 1);
}

static struct idmap_slot *idmap_find(const struct idmap *m, uint64_t id)
{
    size_t i = slot_of(m, id);
    while (m->slots[i].value && m->slots[i].id != id)
        i = (i + 1) & (m->cap - 1);
    return &m->slots[i];
}

void idmap_fini(struct idmap *m)
{
    free(m->slots);
    *m = (struct idmap){0};
}

void *idmap_get(const struct idmap *m, uint64_t id)
{
    return m->cap ? idmap_find(m, id)->value : NULL;
}

/* Seven slots of eight: an id that is there takes four looks then, of neighbours. */
static bool idmap_is_full(size_t n, size_t cap)
{
    return n * 8 > cap * 7;
}

static void grow_to(struct idmap *m, size_t cap)
{
    struct idmap old = *m;
    m->cap = cap;
    m->slots = xcalloc(m->cap, sizeof *m->slots);
    idmap_for_each (&old, s)
        *idmap_find(m, s->id) = *s;
    free(old.slots);
}

void idmap_reserve(struct idmap *m, size_t n)
{
    size_t cap = m->cap ? m->cap : 16;
    while (idmap_is_full(n, cap))
        cap *= 2;
    if (cap > m->cap)
        grow_to(m, cap);
}

void idmap_set(struct idmap *m, uint64_t id, void *value)
{
    bug_on(!value);
    if (idmap_is_full(m->n + 1, m->cap))
        grow_to(m, m->cap ? m->cap * 2 : 16);
    struct idmap_slot *s = idmap_find(m, id);
    m->n += !s->value;
    *s = (struct idmap_slot){.id = id, .value = value};
}

void *idmap_remove(struct idmap *m, uint64_t id)
{
    if (!m->cap)
        return NULL;
    struct idmap_slot *s = idmap_find(m, id);
    void *value = s->value;
    if (!value)
        return NULL;
    size_t hole = (size_t)(s - m->slots), mask = m->cap - 1;
    for (size_t i = (hole + 1) & mask; m->slots[i].value; i = (i + 1) & mask) {
        /* An entry may fill the hole only if its home is not between the hole and itself. */
        size_t home = slot_of(m, m->slots[i].id);
        if (((i - home) & mask) >= ((i - hole) & mask)) {
            m->slots[hole] = m->slots[i];
            hole = i;
        }
    }
    m->slots[hole].value = NULL;
    m->n--;
    return value;
}

uint64_t hash_bytes(const void *p, size_t n)
{
    const unsigned char *s = p;
    uint64_t h = 0xcbf29ce484222325u;
    for (size_t i = 0; i < n; i++)
        h = (h ^ s[i]) * 0x100000001b3u;
    return h;
}
