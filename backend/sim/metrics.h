/* metrics.h - what a simulated schedule is judged by. */
#ifndef STOKER_SIM_METRICS_H
#define STOKER_SIM_METRICS_H

#include "src/base/vec.h"
#include "src/record/rec.h"

/* How a figure is spread over the jobs; percentiles are values that occurred (nearest rank). */
struct dist {
    uint64_t n;
    double mean, p50, p90, p95, p99, max;
};
#define DIST_FIELDS(F, G, S) \
    F(S, U64, n) F(S, F64, mean) F(S, F64, p50) F(S, F64, p90) F(S, F64, p95) F(S, F64, p99) F(S, F64, max)
extern const struct rec_desc dist_rec;

struct sample {
    VEC(double) v;
};
void sample_add(struct sample *s, double v);
/* Sorts the sample. All zero where it is empty. */
struct dist sample_dist(struct sample *s);
void sample_fini(struct sample *s);

/* (wait + run) / run, where a run counts as 10 s at least, and never below 1. Source: Feitelson and others,
 * "Theory and practice in parallel job scheduling", 1997. */
double bounded_slowdown(double wait_s, double run_s);

#endif
