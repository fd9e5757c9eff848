/* array_times.c - the run times of an array's elements, and what follows from them. */
#include <stdlib.h>

#include "src/base/xalloc.h"
#include "ui/array/array_elements.h"
#include "ui/table/radix.h"

#define TAIL_PERCENT 5

static bool is_measured(const struct array_element *x)
{
    return x->is == ELEMENT_DONE && x->job;
}

/* The smallest usual step of which TIME_BINS cover that span. */
static uint32_t bin_width(uint32_t span_s)
{
    static const uint32_t steps[] = {1,   2,    5,    10,   15,    30,    60,    120,   300,   600,
                                     900, 1800, 3600, 7200, 14400, 21600, 43200, 86400, 172800};
    size_t i = 0, n = sizeof steps / sizeof steps[0];
    while (i + 1 < n && span_s / steps[i] >= TIME_BINS - 1)
        i++;
    return span_s / steps[i] < TIME_BINS - 1 ? steps[i] : span_s / (TIME_BINS - 1) + 1;
}

static void fill_bins(struct array_times *t, const struct radix_key *keys)
{
    t->bin_s = bin_width(t->slowest_s - t->fastest_s);
    t->first_s = t->fastest_s / t->bin_s * t->bin_s;
    t->n_bins = (t->slowest_s - t->first_s) / t->bin_s + 1;
    for (size_t i = 0; i < t->n; i++)
        t->bins[((uint32_t)keys[i].value - t->first_s) / t->bin_s]++;
}

void array_times_fill(struct array_times *t, const struct array_elements *e)
{
    struct radix_key *keys = xreallocarray(NULL, e->v.n ? e->v.n : 1, sizeof *keys);
    double sum = 0;
    *t = (struct array_times){.n = 0};
    for (size_t i = 0; i < e->v.n; i++)
        if (is_measured(&e->v.v[i])) {
            keys[t->n++] = (struct radix_key){.value = e->v.v[i].ran_s, .what = (uint32_t)i};
            sum += e->v.v[i].ran_s;
        }
    if (t->n) {
        size_t tail = (size_t)t->n * TAIL_PERCENT / 100;
        radix_sort(keys, t->n, false);
        t->fastest_s = (uint32_t)keys[0].value;
        t->median_s = (uint32_t)keys[t->n / 2].value;
        t->slowest_s = (uint32_t)keys[t->n - 1].value;
        t->low_s = (uint32_t)keys[tail].value;
        t->high_s = (uint32_t)keys[t->n - 1 - tail].value;
        t->mean_s = sum / t->n;
        t->fastest = keys[0].what;
        t->slowest = keys[t->n - 1].what;
        fill_bins(t, keys);
    }
    free(keys);
}

/* Longer first; of those that ran as long the one with the lower index. */
static bool ran_longer(const struct array_elements *e, size_t a, size_t b)
{
    uint32_t x = e->v.v[a].ran_s, y = e->v.v[b].ran_s;
    return x != y ? x > y : a < b;
}

size_t array_times_slower(const struct array_elements *e, size_t after)
{
    size_t best = SIZE_MAX;
    for (size_t i = 0; i < e->v.n; i++) {
        const struct array_element *x = &e->v.v[i];
        if (!x->job || x->is == ELEMENT_WAITING || (after != SIZE_MAX && !ran_longer(e, after, i)))
            continue;
        if (best == SIZE_MAX || ran_longer(e, i, best))
            best = i;
    }
    return best;
}

size_t array_times_next_in(const struct array_times *t, const struct array_elements *e, uint32_t bin,
                           size_t after)
{
    uint32_t from = t->first_s + bin * t->bin_s;
    for (size_t i = 1; i <= e->v.n; i++) {
        size_t at = (after + i) % e->v.n;
        const struct array_element *x = &e->v.v[at];
        if (is_measured(x) && x->ran_s >= from && x->ran_s < from + t->bin_s)
            return at;
    }
    return SIZE_MAX;
}

static int by_seconds(const void *pa, const void *pb)
{
    double a = *(const double *)pa, b = *(const double *)pb;
    return (a > b) - (a < b);
}

/* How long it may run as one that is nothing unusual. */
static double array_times_most(const struct array_times *t)
{
    return t->slowest_s + t->slowest_s / 4.0;
}

/* What is left to each element that runs, into `left`, but for those that are overdue. Returns how many. */
static size_t array_times_left(const struct array_times *t, const struct array_elements *e, double *left)
{
    size_t n = 0, seen = 0;
    for (size_t i = 0; i < e->v.n && seen < e->counts[ELEMENT_RUNNING]; i++) {
        const struct array_element *x = &e->v.v[i];
        if (x->is != ELEMENT_RUNNING)
            continue;
        seen++;
        if (x->ran_s > array_times_most(t))
            continue;
        double usual = x->ran_s < t->mean_s ? t->mean_s : t->slowest_s;
        left[n++] = x->ran_s < usual ? usual - x->ran_s : array_times_most(t) - x->ran_s;
    }
    return n;
}

/* Each slot is one element that runs: when it is free, the next one starts in it. When that of
 * an overdue one is free cannot be told. */
struct array_forecast array_times_forecast(const struct array_times *t, const struct array_elements *e,
                                           struct wall now)
{
    struct array_forecast f = {.overdue = 0};
    uint32_t running = e->counts[ELEMENT_RUNNING], waiting = e->counts[ELEMENT_WAITING],
             throttle = array_elements_throttle(e);
    if (!t->n || !running)
        return f;
    double *left = xreallocarray(NULL, running, sizeof *left);
    size_t n = array_times_left(t, e, left), slots = n;
    f.overdue = running - (uint32_t)n;
    if (throttle && throttle < running)
        slots = throttle > f.overdue ? throttle - f.overdue : 0;
    if (n && (slots || !waiting)) {
        qsort(left, n, sizeof *left, by_seconds);
        double end = left[n - 1];
        for (size_t i = 0; i < slots && waiting;
             i++) { /* the earliest slots take one more than the others */
            uint32_t rounds = waiting / (uint32_t)slots + (i < waiting % slots);
            double at = left[i] + rounds * t->mean_s;
            end = at > end ? at : end;
        }
        f.end.ms = now.ms + (int64_t)(end * MS_PER_S);
    }
    free(left);
    return f;
}
