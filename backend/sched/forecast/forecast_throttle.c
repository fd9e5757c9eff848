/* forecast_throttle.c - how many elements of an array may run at once (sbatch --array=1-100%4): each of the
 * others starts when one of them has ended. */
#include <stdlib.h>

#include "backend/sched/forecast/forecast_internal.h"
#include "src/base/heap_sift.h"

static int element_runs_by_array(const void *pa, const void *pb)
{
    const struct element_run *a = pa, *b = pb;
    return a->array != b->array ? (a->array > b->array) - (a->array < b->array)
                                : (a->end > b->end) - (a->end < b->end);
}

void element_runs_sort(struct forecasts *f)
{
    if (f->element_runs.n)
        qsort(f->element_runs.v, f->element_runs.n, sizeof *f->element_runs.v, element_runs_by_array);
}

/* The first of the array, or where it would stand. */
static size_t element_runs_first(const struct forecasts *f, uint32_t array)
{
    size_t low = 0, high = f->element_runs.n;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (f->element_runs.v[middle].array < array)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

bool element_runs_has(const struct forecasts *f, uint32_t array)
{
    size_t first = element_runs_first(f, array);
    return first < f->element_runs.n && f->element_runs.v[first].array == array;
}

void throttle_init(struct throttle *t, const struct forecasts *f, const struct forecast_entry *u)
{
    *t = (struct throttle){.most = u->throttle};
    if (!u->throttle)
        return;
    for (size_t i = element_runs_first(f, u->order_id);
         i < f->element_runs.n && f->element_runs.v[i].array == u->order_id; i++)
        throttle_add(t, f->element_runs.v[i].end);
}

void throttle_fini(struct throttle *t)
{
    vec_fini(&t->ends);
}

int64_t throttle_from(const struct throttle *t)
{
    return t->most && t->ends.n == t->most ? t->ends.v[0] : INT64_MIN;
}

static bool throttle_ends_first(const int64_t *a, const int64_t *b)
{
    return *a < *b;
}

static void throttle_put(int64_t *v, size_t i, int64_t end)
{
    v[i] = end;
}

HEAP_SIFT(throttle, int64_t, throttle_ends_first, throttle_put)

void throttle_add(struct throttle *t, int64_t end)
{
    if (t->most && t->ends.n < t->most) {
        vec_push(&t->ends, end);
        throttle_rise(t->ends.v, t->ends.n - 1, end);
    } else if (t->most && end > t->ends.v[0]) { /* the first of them has ended by then */
        throttle_sink(t->ends.v, t->ends.n, 0, end);
    }
}
