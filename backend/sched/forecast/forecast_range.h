/* forecast_range.h - the range in which a start is likely, learnt from earlier starts. Pure.
 *
 * A start is told by time limits, and most jobs start sooner. How much sooner depends on whose job it is
 * and what it asks for: a user's jobs of one name wait alike, and so they are compared with one another
 * first. Each start is a sample: the wait that came, divided by a scale. The scale grows with the wait that
 * was told and with the length of the queue:
 *
 *     scale = (told + 1 min)^0.7 x (jobs that waited + 1)^0.3
 *     range = the middle half of the samples x the scale of the job that asks
 *
 * Samples count more the nearer the wait that they were told is to that of the job that asks. Jobs that
 * were told at the same time, one after the other, count as one together: the elements of a sweep say one
 * thing. With fewer than RANGE_LEAST such times of a user and name the samples of all jobs that were told
 * about as long a wait are taken.
 */
#ifndef STOKER_BACKEND_SCHED_FORECAST_RANGE_H
#define STOKER_BACKEND_SCHED_FORECAST_RANGE_H

#include <stdbool.h>
#include <stdint.h>

#include "src/base/rec.h"
#include "src/model/job.h"

#define RANGE_LEAST     2    /* times of a user and name that make a range */
#define RANGE_LEAST_ALL 8    /* samples of all jobs that do */
#define RANGE_SAMPLES   160  /* that are kept of a user and name, and of each horizon */
#define RANGE_KEYS      1024 /* users and names; beyond, the one that started longest ago goes */
#define RANGE_SAVED     8192 /* samples that are kept over restarts */

struct learnt_start { /* a sample */
    uint64_t key;     /* of the user and name */
    struct wall made; /* when the start was told */
    double told_s;    /* how far away it was told */
    double ratio;     /* logarithm of (wait + 1 min) / scale */
};
#define LEARNT_START_FIELDS(F, G, S) F(S, U64, key) F(S, WALL, made) F(S, F64, told_s) F(S, F64, ratio)
extern const struct rec_desc learnt_start_rec;

struct forecast_ranges;

struct forecast_ranges *forecast_ranges_new(void) __attribute__((warn_unused_result));
void forecast_ranges_free(struct forecast_ranges *r); /* NULL is fine */

/* Whose job it is, and what it is called. */
uint64_t forecast_range_key(const struct job *j);

struct range_ask { /* a start that is told */
    uint64_t key;
    double told_s;
    uint32_t waiting; /* jobs in the queue */
};

/* The start came after came_s. */
void forecast_ranges_learn(struct forecast_ranges *r, const struct range_ask *a, struct wall made,
                           double came_s);
/* Returns how many starts the range is learnt from; false in *ret_has: too few. */
uint32_t forecast_ranges_find(const struct forecast_ranges *r, const struct range_ask *a, bool *ret_has,
                              double *ret_low_s, double *ret_high_s);
/* Starts that are kept of all horizons. */
uint32_t forecast_ranges_samples(const struct forecast_ranges *r);

/* Calls fn for at most RANGE_SAVED of them, in an order in which they may be learnt again. */
void forecast_ranges_each(const struct forecast_ranges *r,
                          void (*fn)(void *ctx, const struct learnt_start *s), void *ctx);
/* What does not make sense is left out. */
void forecast_ranges_restore(struct forecast_ranges *r, const struct learnt_start *s);

#endif
