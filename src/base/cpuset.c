/* cpuset.c - a set of small numbers. */
#include "src/base/cpuset.h"

#include <ctype.h>
#include <errno.h>

#define N_WORDS (CPUSET_MAX / 64)

void cpuset_add(struct cpuset *s, unsigned i)
{
    bug_on(i >= CPUSET_MAX);
    s->w[i / 64] |= UINT64_C(1) << i % 64;
}

void cpuset_del(struct cpuset *s, unsigned i)
{
    if (i < CPUSET_MAX)
        s->w[i / 64] &= ~(UINT64_C(1) << i % 64);
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
    bug_on(n);
    return taken;
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

/* A number below CPUSET_MAX at *p, which moves past it; -1 where there is none. */
static int parse_number(const char **p)
{
    if (!isdigit((unsigned char)**p))
        return -1;
    int v = 0;
    for (; isdigit((unsigned char)**p); (*p)++) {
        v = v * 10 + (**p - '0');
        if (v >= CPUSET_MAX)
            return -1;
    }
    return v;
}

int cpuset_parse(const char *text, struct cpuset *ret, struct errtext *err)
{
    struct cpuset s = {0};
    const char *p = text;
    while (*p) {
        int first = parse_number(&p), last = first;
        if (first >= 0 && *p == '-') {
            p++;
            last = parse_number(&p);
        }
        if (first < 0 || last < first)
            return err_set(err, -EINVAL, "\"%s\" is no list like 0-3,8 of numbers below %d", text,
                           CPUSET_MAX);
        cpuset_add_range(&s, (unsigned)first, (unsigned)(last - first) + 1);
        if (*p == ',' && p[1])
            p++;
        else if (*p)
            return err_set(err, -EINVAL, "\"%s\" is no list like 0-3,8: '%c' at %zu", text, *p,
                           (size_t)(p - text));
    }
    *ret = s;
    return 0;
}
