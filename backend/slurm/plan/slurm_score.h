/* slurm_score.h - how forecasts came true: of each job the first one that Slurm and Stoker's planner made.
 * Pure.
 */
#ifndef STOKER_BACKEND_SLURM_SLURM_SCORE_H
#define STOKER_BACKEND_SLURM_SLURM_SCORE_H

#include "backend/sched/forecast/forecast.h"

enum slurm_forecaster { SCORE_SLURM, SCORE_STOKER, SCORE_N };

struct slurm_scores {
    struct forecast_scores *of[SCORE_N];
};

struct slurm_scores *slurm_scores_new(void) __attribute__((warn_unused_result));
void slurm_scores_free(struct slurm_scores *s); /* NULL is fine */

/* The job has started. */
void slurm_scores_started(struct slurm_scores *s, uint32_t job, struct wall start);
/* It has left, or will not be asked about any more. */
void slurm_scores_gone(struct slurm_scores *s, uint32_t job);

#endif
