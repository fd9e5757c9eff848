#include "backend/slurm/plan/slurm_score.h"

#include <stdlib.h>

struct slurm_scores *slurm_scores_new(void)
{
    struct slurm_scores *s = xcalloc(1, sizeof *s);
    for (size_t i = 0; i < SCORE_N; i++)
        s->of[i] = forecast_scores_new();
    return s;
}

void slurm_scores_free(struct slurm_scores *s)
{
    for (size_t i = 0; s && i < SCORE_N; i++)
        forecast_scores_free(s->of[i]);
    free(s);
}

void slurm_scores_started(struct slurm_scores *s, uint32_t job, struct wall start)
{
    for (size_t i = 0; i < SCORE_N; i++)
        forecast_scores_started(s->of[i], job, start);
}

void slurm_scores_gone(struct slurm_scores *s, uint32_t job)
{
    for (size_t i = 0; i < SCORE_N; i++)
        forecast_scores_gone(s->of[i], job);
}
