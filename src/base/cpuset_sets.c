/* cpuset_sets.c - sets compared, joined and taken apart: what placing jobs needs, and supervisors do not.
 */
#include "src/base/cpuset.h"
#include "src/base/err.h"

#define N_WORDS (CPUSET_MAX / 64)

void cpuset_del(struct cpuset *s, unsigned i)
{
    if (i < CPUSET_MAX)
        s->w[i / 64] &= ~(UINT64_C(1) << i % 64);
}

bool cpuset_eq(const struct cpuset *a, const struct cpuset *b)
{
    for (unsigned k = 0; k < N_WORDS; k++)
        if (a->w[k] != b->w[k])
            return false;
    return true;
}

bool cpuset_intersects(const struct cpuset *a, const struct cpuset *b)
{
    for (unsigned k = 0; k < N_WORDS; k++)
        if (a->w[k] & b->w[k])
            return true;
    return false;
}

bool cpuset_contains(const struct cpuset *a, const struct cpuset *b)
{
    for (unsigned k = 0; k < N_WORDS; k++)
        if (b->w[k] & ~a->w[k])
            return false;
    return true;
}

void cpuset_or(struct cpuset *a, const struct cpuset *b)
{
    for (unsigned k = 0; k < N_WORDS; k++)
        a->w[k] |= b->w[k];
}

void cpuset_andnot(struct cpuset *a, const struct cpuset *b)
{
    for (unsigned k = 0; k < N_WORDS; k++)
        a->w[k] &= ~b->w[k];
}

void cpuset_add_range(struct cpuset *s, unsigned first, unsigned n)
{
    bug_on(n > CPUSET_MAX || first > CPUSET_MAX - n);
    for (unsigned i = first; i < first + n; i++)
        cpuset_add(s, i);
}

struct cpuset cpuset_take_lowest(struct cpuset *from, unsigned n)
{
    struct cpuset taken = {0};
    for (unsigned k = 0; n && k < N_WORDS; k++)
        for (; n && from->w[k]; n--) {
            uint64_t lowest = from->w[k] & -from->w[k];
            taken.w[k] |= lowest;
            from->w[k] ^= lowest;
        }
    return taken;
}
