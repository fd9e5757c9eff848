/* timeline.c - what is free on one node, as a step function of time. */
#include "backend/sched/resources/timeline.h"

#include <stdlib.h>
#include <string.h>

#include "src/base/xalloc.h"

void timeline_init(struct timeline *l, struct amount all)
{
    *l = (struct timeline){.v = xmalloc(4 * sizeof *l->v), .n = 1, .cap = 4};
    l->v[0] = (struct timeline_step){.t = INT64_MIN, .free = all};
}

void timeline_fini(struct timeline *l)
{
    free(l->v);
    *l = (struct timeline){0};
}

/* The step in force at t. */
static uint32_t timeline_step_at(const struct timeline *l, int64_t t)
{
    uint32_t low = 0, high = l->n;
    while (high - low > 1) {
        uint32_t mid = low + (high - low) / 2;
        if (l->v[mid].t <= t)
            low = mid;
        else
            high = mid;
    }
    return low;
}

/* Makes a step begin at t and returns it. */
static uint32_t timeline_cut(struct timeline *l, int64_t t)
{
    uint32_t at = timeline_step_at(l, t);
    if (l->v[at].t == t)
        return at;
    if (l->n == l->cap) {
        l->cap *= 2;
        l->v = xreallocarray(l->v, l->cap, sizeof *l->v);
    }
    memmove(&l->v[at + 2], &l->v[at + 1], (l->n - at - 1) * sizeof *l->v);
    l->v[at + 1] = (struct timeline_step){.t = t, .free = l->v[at].free};
    l->n++;
    return at + 1;
}

/* Drops step `at` where it says what the one before says. */
static void timeline_join(struct timeline *l, uint32_t at)
{
    if (at == 0 || at >= l->n || !amount_eq(l->v[at].free, l->v[at - 1].free))
        return;
    memmove(&l->v[at], &l->v[at + 1], (l->n - at - 1) * sizeof *l->v);
    l->n--;
}

void timeline_take(struct timeline *l, int64_t from, int64_t to, struct amount a)
{
    if (from >= to)
        return;
    uint32_t first = timeline_cut(l, from), end = to == WHEN_NEVER ? l->n : timeline_cut(l, to);
    for (uint32_t i = first; i < end; i++)
        l->v[i].free = amount_minus(l->v[i].free, a);
    timeline_join(l, end); /* the later one first: joining moves what follows */
    timeline_join(l, first);
}

void timeline_give(struct timeline *l, int64_t from, int64_t to, struct amount a)
{
    timeline_take(l, from, to, (struct amount){-a.cpus, -a.mem_mib, -a.gpus});
}

struct amount timeline_min(const struct timeline *l, int64_t from, int64_t to)
{
    uint32_t i = timeline_step_at(l, from);
    struct amount least = l->v[i].free;
    for (i++; i < l->n && l->v[i].t < to; i++)
        least = amount_min(least, l->v[i].free);
    return least;
}

int64_t timeline_next_before(const struct timeline *l, int64_t from, int64_t before, int64_t len,
                             struct amount need)
{
    uint32_t i = timeline_step_at(l, from);
    int64_t t = from;
    bool fits = false; /* since t */
    for (; i < l->n; i++) {
        if (fits && l->v[i].t >= when_plus(t, len))
            return t;
        if (!fits && l->v[i].t >= before)
            return WHEN_NEVER;
        bool here = amount_covers(l->v[i].free, need);
        if (here && !fits)
            t = l->v[i].t > from ? l->v[i].t : from;
        fits = here;
    }
    return fits ? t : WHEN_NEVER;
}

int64_t timeline_next(const struct timeline *l, int64_t from, int64_t len, struct amount need)
{
    return timeline_next_before(l, from, WHEN_NEVER, len, need);
}

int64_t timeline_next_step(const struct timeline *l, int64_t t)
{
    uint32_t i = timeline_step_at(l, t) + 1;
    return i < l->n ? l->v[i].t : WHEN_NEVER;
}

void timeline_append(struct timeline *l, int64_t t, struct amount free)
{
    uint32_t at = t == INT64_MIN ? 0 : timeline_cut(l, t);
    l->v[at].free = free;
    timeline_join(l, at);
}

void timeline_trim(struct timeline *l, int64_t t)
{
    uint32_t keep = timeline_step_at(l, t);
    if (keep == 0)
        return;
    l->n -= keep;
    memmove(l->v, l->v + keep, l->n * sizeof *l->v);
    l->v[0].t = INT64_MIN;
}
