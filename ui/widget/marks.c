/* marks.c - a set of ids. */
#include "ui/widget/marks.h"

_Static_assert(sizeof(void *) == sizeof(uint64_t), "a word of 64 marks is stored as a pointer");

static uint64_t marks_word(const struct marks *m, uint64_t id)
{
    return (uint64_t)(uintptr_t)idmap_get(&m->words, id / 64);
}

void marks_fini(struct marks *m)
{
    idmap_fini(&m->words);
    *m = (struct marks){0};
}

bool marks_has(const struct marks *m, uint64_t id)
{
    return marks_word(m, id) >> id % 64 & 1;
}

void marks_set(struct marks *m, uint64_t id, bool on)
{
    uint64_t old = marks_word(m, id), bit = (uint64_t)1 << id % 64;
    uint64_t new = on ? old | bit : old & ~bit;
    if (new == old)
        return;
    m->n = on ? m->n + 1 : m->n - 1;
    if (new)
        idmap_set(&m->words, id / 64, (void *)(uintptr_t) new);
    else
        idmap_remove(&m->words, id / 64);
}
