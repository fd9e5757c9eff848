/* forecast_range.h - the range in which a start is likely, learnt from earlier starts. Pure.
 *
 * The start that a job is told follows from time limits, and most jobs start sooner. How much sooner
 * depends on the user and on the request: jobs of one user and one name wait about equally, so a job is
 * first compared with these. Each start gives a sample: the actual wait, divided by a scale. The scale
 * grows with the wait that was told and with the length of the queue:
 *
 *     scale = (told + 1 min)^0.7 x (jobs that waited + 1)^0.3
 *     range = the middle half of the samples x the scale of the job that asks
 *
 * A sample counts more the nearer its wait as told is to that of the job that asks. Jobs that were told
 * their starts at the same time count as one, because the elements of a sweep give the same information. If
 * a user and name have fewer than RANGE_LEAST such times, the samples of all jobs that were told about as
 * long a wait are used.
 */
#ifndef STOKER_BACKEND_SCHED_FORECAST_RANGE_H
#define STOKER_BACKEND_SCHED_FORECAST_RANGE_H

#include <stdbool.h>
#include <stdint.h>

#include "src/model/job.h"
#include "src/record/rec.h"

#define RANGE_LEAST     2    /* times of a user and name that are enough for a range */
#define RANGE_LEAST_ALL 8    /* samples of all jobs that are enough */
#define RANGE_SAMPLES   160  /* kept for each user and name, and for each horizon */
#define RANGE_KEYS      1024 /* users and names; then the one with the oldest start is dropped */
#define RANGE_SAVED     8192 /* samples that are kept over restarts */

struct learnt_start { /* a sample */
    uint64_t key;     /* hash of the user and name */
    struct wall made; /* when the start was told */
    double told_s;    /* how far away it was told */
    double ratio;     /* logarithm of (wait + 1 min) / scale */
};
#define LEARNT_START_FIELDS(F, G, S) F(S, U64, key) F(S, WALL, made) F(S, F64, told_s) F(S, F64, ratio)
extern const struct rec_desc learnt_start_rec;

struct forecast_ranges;

struct forecast_ranges *forecast_ranges_new(void) __attribute__((warn_unused_result));
void forecast_ranges_free(struct forecast_ranges *r); /* NULL is fine */

/* The hash of the job's user and name. */
uint64_t forecast_range_key(const struct job *j);

struct range_ask { /* a start that is told */
    uint64_t key;
    double told_s;
    uint32_t waiting; /* jobs in the queue */
};

/* The job has started after waiting for came_s. */
void forecast_ranges_learn(struct forecast_ranges *r, const struct range_ask *a, struct wall made,
                           double came_s);
/* Returns how many starts the range is learnt from; *ret_has is false if they are too few. */
uint32_t forecast_ranges_find(const struct forecast_ranges *r, const struct range_ask *a, bool *ret_has,
                              double *ret_low_s, double *ret_high_s);
/* The number of starts kept in all horizons. */
uint32_t forecast_ranges_samples(const struct forecast_ranges *r);

/* Calls fn for at most RANGE_SAVED samples, in an order in which they can be added again. */
void forecast_ranges_each(const struct forecast_ranges *r,
                          void (*fn)(void *ctx, const struct learnt_start *s), void *ctx);
/* Values that make no sense are left out. */
void forecast_ranges_restore(struct forecast_ranges *r, const struct learnt_start *s);

#endif
