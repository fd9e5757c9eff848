#include "backend/slurm/plan/slurm_score.h"

#include <stdlib.h>
#include <string.h>

#include "src/base/idmap.h"
#include "src/base/xalloc.h"

#define SAMPLES 256 /* the last ones */

struct first_forecast {
    struct wall start[SCORE_N]; /* unset: none yet */
};

struct slurm_scores {
    struct idmap open; /* job -> struct first_forecast */
    struct {
        uint64_t n;
        uint64_t off_s[SAMPLES];
    } of[SCORE_N];
};

struct slurm_scores *slurm_scores_new(void)
{
    return xcalloc(1, sizeof(struct slurm_scores));
}

void slurm_scores_free(struct slurm_scores *s)
{
    if (!s)
        return;
    idmap_for_each (&s->open, slot)
        free(slot->value);
    idmap_fini(&s->open);
    free(s);
}

void slurm_scores_forecast(struct slurm_scores *s, uint32_t job, enum slurm_forecaster whose,
                           struct wall start)
{
    struct first_forecast *f = idmap_get(&s->open, job);
    if (!f) {
        f = xcalloc(1, sizeof *f);
        idmap_set(&s->open, job, f);
    }
    if (!wall_is_set(f->start[whose]))
        f->start[whose] = start;
}

void slurm_scores_started(struct slurm_scores *s, uint32_t job, struct wall start)
{
    const struct first_forecast *f = idmap_get(&s->open, job);
    for (size_t i = 0; f && i < SCORE_N; i++) {
        if (!wall_is_set(f->start[i]))
            continue;
        int64_t off = (start.ms - f->start[i].ms) / MS_PER_S;
        s->of[i].off_s[s->of[i].n++ % SAMPLES] = (uint64_t)(off < 0 ? -off : off);
    }
    slurm_scores_gone(s, job);
}

void slurm_scores_gone(struct slurm_scores *s, uint32_t job)
{
    free(idmap_remove(&s->open, job));
}

static int score_compare(const void *pa, const void *pb)
{
    const uint64_t *a = pa, *b = pb;
    return (*a > *b) - (*a < *b);
}

struct slurm_score slurm_scores_of(const struct slurm_scores *s, enum slurm_forecaster whose)
{
    uint64_t n = s->of[whose].n, kept = n < SAMPLES ? n : SAMPLES, sorted[SAMPLES];
    if (!n)
        return (struct slurm_score){0};
    memcpy(sorted, s->of[whose].off_s, kept * sizeof *sorted);
    qsort(sorted, kept, sizeof *sorted, score_compare);
    return (struct slurm_score){
        .n = n, .half_s = sorted[(kept - 1) / 2], .most_s = sorted[(kept - 1) * 9 / 10]};
}
