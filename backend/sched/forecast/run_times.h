/* run_times.h - how long jobs of a user and a name ran, and what that says of the next one. Pure.
 *
 * Users ask for several times the time that their jobs need, and run the same jobs again. Two figures
 * follow from the last runs of the same user and name:
 *
 *     mean    of the last two: the order of backfill candidates
 *     most    of the last RUN_TIMES_KEPT, a quarter and a minute longer: within this the next job has
 *             ended, mostly
 *
 * Source: Tsafrir, Etsion and Feitelson, "Backfilling using system-generated predictions", TPDS 18(6),
 * 2007, for the mean of the last two. Neither figure ends a job or a promise: limits do.
 */
#ifndef STOKER_BACKEND_SCHED_RUN_TIMES_H
#define STOKER_BACKEND_SCHED_RUN_TIMES_H

#include <stdbool.h>
#include <stdint.h>

#include "src/model/job.h"
#include "src/record/rec.h"

#define RUN_TIMES_LEAST 2    /* runs that are enough */
#define RUN_TIMES_KEPT  4    /* of each user and name */
#define RUN_TIMES_KEYS  2048 /* users and names; then the one that ended longest ago is dropped */

struct learnt_run {
    uint64_t key; /* forecast_range_key */
    double run_s;
};
#define LEARNT_RUN_FIELDS(F, G, S) F(S, U64, key) F(S, F64, run_s)
extern const struct rec_desc learnt_run_rec;

struct run_time {
    int64_t mean_ms, most_ms; /* most: with the margin */
};

struct run_times;

struct run_times *run_times_new(void) __attribute__((warn_unused_result));
void run_times_free(struct run_times *r); /* NULL is fine */

/* Values that make no sense are left out. */
void run_times_learn(struct run_times *r, const struct learnt_run *run);
/* Takes the last run of a job that has ended by itself or at its limit; no-op for another one, and for step
 * jobs. */
void run_times_learn_job(struct run_times *r, const struct job *j);
/* False: too few runs are known. */
bool run_times_predict(const struct run_times *r, uint64_t key, struct run_time *ret);
/* In an order in which they can be learnt again. */
void run_times_each(const struct run_times *r, void (*fn)(void *ctx, const struct learnt_run *run),
                    void *ctx);

#endif
