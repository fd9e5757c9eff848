/* cpuset.c - a set of small numbers. */
#include "src/base/cpuset.h"

#include "src/base/err.h"
#include "src/base/str.h"

#define N_WORDS (CPUSET_MAX / 64)

void cpuset_add(struct cpuset *s, unsigned i)
{
    bug_on(i >= CPUSET_MAX);
    s->w[i / 64] |= UINT64_C(1) << i % 64;
}

bool cpuset_has(const struct cpuset *s, unsigned i)
{
    return i < CPUSET_MAX && (s->w[i / 64] >> i % 64 & 1);
}

unsigned cpuset_count(const struct cpuset *s)
{
    unsigned n = 0;
    for (unsigned k = 0; k < N_WORDS; k++)
        if (s->w[k]) /* most are empty, and not every machine has an instruction for it */
            n += (unsigned)__builtin_popcountll(s->w[k]);
    return n;
}

bool cpuset_is_empty(const struct cpuset *s)
{
    for (unsigned k = 0; k < N_WORDS; k++)
        if (s->w[k])
            return false;
    return true;
}

int cpuset_next(const struct cpuset *s, unsigned i)
{
    for (unsigned k = i / 64; k < N_WORDS; k++) {
        uint64_t w = s->w[k];
        if (k == i / 64)
            w &= UINT64_MAX << i % 64;
        if (w)
            return (int)(k * 64 + (unsigned)__builtin_ctzll(w));
    }
    return -1;
}

char *cpuset_format(const struct cpuset *s)
{
    struct str b = STR_INIT;
    for (int i = cpuset_next(s, 0); i >= 0; i = cpuset_next(s, (unsigned)i + 1)) {
        int first = i;
        while (cpuset_has(s, (unsigned)i + 1))
            i++;
        str_appendf(&b, first == i ? "%s%d" : "%s%d-%d", b.len ? "," : "", first, i);
    }
    return str_take(&b);
}
