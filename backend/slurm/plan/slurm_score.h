/* slurm_score.h - how forecasts came true: of each job the first one that Slurm and Stoker's planner made.
 * Pure.
 */
#ifndef STOKER_BACKEND_SLURM_SLURM_SCORE_H
#define STOKER_BACKEND_SLURM_SLURM_SCORE_H

#include <stdbool.h>
#include <stdint.h>

#include "src/base/time.h"

enum slurm_forecaster { SCORE_SLURM, SCORE_STOKER, SCORE_N };

struct slurm_scores;

struct slurm_scores *slurm_scores_new(void) __attribute__((warn_unused_result));
void slurm_scores_free(struct slurm_scores *s); /* NULL is fine */

/* A waiting job is expected to start then. The first one of each counts. */
void slurm_scores_forecast(struct slurm_scores *s, uint32_t job, enum slurm_forecaster whose,
                           struct wall start);
/* It has started. */
void slurm_scores_started(struct slurm_scores *s, uint32_t job, struct wall start);
/* It has left, or will not be asked about any more. */
void slurm_scores_gone(struct slurm_scores *s, uint32_t job);

struct slurm_score {
    uint64_t n;              /* starts that had a forecast */
    uint64_t half_s, most_s; /* half of the last ones were off by at most that; nine in ten */
};
struct slurm_score slurm_scores_of(const struct slurm_scores *s, enum slurm_forecaster whose);

#endif
