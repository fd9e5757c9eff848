/* metrics.c - means, percentiles, slowdown. */
#include "backend/sim/metrics.h"

#include <math.h>

#define SLOWDOWN_FLOOR_S 10

REC_DEFINE(dist, DIST_FIELDS)

void sample_add(struct sample *s, double v)
{
    vec_push(&s->v, v);
}

void sample_fini(struct sample *s)
{
    vec_fini(&s->v);
}

static int metrics_compare(const void *a, const void *b)
{
    const double *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

/* The smallest value that at least this share of the sample does not exceed. */
static double metrics_percentile(const struct sample *s, double share)
{
    size_t rank = (size_t)ceil(share * (double)s->v.n);
    return s->v.v[rank ? rank - 1 : 0];
}

struct dist sample_dist(struct sample *s)
{
    if (!s->v.n)
        return (struct dist){0};
    double sum = 0;
    vec_for_each (&s->v, i)
        sum += s->v.v[i];
    qsort(s->v.v, s->v.n, sizeof *s->v.v, metrics_compare);
    return (struct dist){.n = s->v.n,
                         .mean = sum / (double)s->v.n,
                         .p50 = metrics_percentile(s, 0.50),
                         .p90 = metrics_percentile(s, 0.90),
                         .p95 = metrics_percentile(s, 0.95),
                         .p99 = metrics_percentile(s, 0.99),
                         .max = s->v.v[s->v.n - 1]};
}

double bounded_slowdown(double wait_s, double run_s)
{
    double base = run_s > SLOWDOWN_FLOOR_S ? run_s : SLOWDOWN_FLOOR_S, v = (wait_s + run_s) / base;
    return v > 1 ? v : 1;
}
