#include "backend/sched/forecast/forecast_score.h"

#include <stdlib.h>
#include <string.h>

#include "src/base/idmap.h"
#include "src/base/vec.h"
#include "src/base/xalloc.h"

#define LAST_STARTS 256

struct forecast_scores {
    struct idmap told; /* job -> struct forecast_told */
    struct wall since; /* the first start that counts; unset: none yet */
    struct score_row rows[SCORE_HORIZONS];
    uint64_t n; /* starts in off_s, the last LAST_STARTS of them */
    uint64_t off_s[LAST_STARTS];
};

struct forecast_scores *forecast_scores_new(void)
{
    struct forecast_scores *s = xcalloc(1, sizeof *s);
    score_rows_init(s->rows);
    return s;
}

void forecast_scores_free(struct forecast_scores *s)
{
    if (!s)
        return;
    idmap_for_each (&s->told, slot)
        free(slot->value);
    idmap_fini(&s->told);
    free(s);
}

void forecast_scores_tell(struct forecast_scores *s, uint32_t job, const struct forecast_told *t)
{
    if (idmap_get(&s->told, job))
        return;
    struct forecast_told *copy = xmalloc(sizeof *copy);
    *copy = *t;
    idmap_set(&s->told, job, copy);
}

const struct forecast_told *forecast_scores_told(const struct forecast_scores *s, uint32_t job)
{
    return idmap_get(&s->told, job);
}

static double score_seconds(struct wall from, struct wall to)
{
    return (double)(to.ms - from.ms) / MS_PER_S;
}

void forecast_scores_started(struct forecast_scores *s, uint32_t job, struct wall start)
{
    const struct forecast_told *t = idmap_get(&s->told, job);
    if (!t)
        return;
    struct score_case c = {.told_s = score_seconds(t->made, t->start),
                           .came_s = score_seconds(t->made, start),
                           .has_range = wall_is_set(t->likely) && wall_is_set(t->unlikely),
                           .low_s = score_seconds(t->made, t->likely),
                           .high_s = score_seconds(t->made, t->unlikely)};
    double off = c.came_s - c.told_s;
    s->off_s[s->n++ % LAST_STARTS] = (uint64_t)(off < 0 ? -off : off);
    if (c.told_s >= SCORE_LEAST_S) {
        score_row_add(&s->rows[score_horizon_of(c.told_s)], &c);
        s->since = wall_is_set(s->since) ? s->since : start;
    }
    forecast_scores_gone(s, job);
}

void forecast_scores_gone(struct forecast_scores *s, uint32_t job)
{
    free(idmap_remove(&s->told, job));
}

void forecast_scores_keep(struct forecast_scores *s, bool (*keeps)(void *ctx, uint32_t job), void *ctx)
{
    VEC(uint32_t) gone = VEC_INIT;
    idmap_for_each (&s->told, slot)
        if (!keeps(ctx, (uint32_t)slot->id))
            vec_push(&gone, (uint32_t)slot->id);
    vec_for_each (&gone, i)
        forecast_scores_gone(s, gone.v[i]);
    vec_fini(&gone);
}

const struct score_row *forecast_scores_rows(const struct forecast_scores *s)
{
    return s->rows;
}

/* The file may be damaged: any value is possible. */
static bool score_is_sound(const struct score_row *r)
{
    const double sums[] = {r->told_s, r->early_s, r->late_s, r->width_s, r->interval_s};
    for (size_t i = 0; i < sizeof sums / sizeof *sums; i++)
        if (!(sums[i] >= 0 && sums[i] < 1e18))
            return false;
    return r->later <= r->starts && r->ranges <= r->starts && r->starts < UINT32_MAX &&
           r->before + r->inside + r->behind == r->ranges;
}

void forecast_scores_restore(struct forecast_scores *s, const struct msg_scores *kept)
{
    s->since = kept->since;
    for (size_t i = 0; i < kept->rows.n; i++)
        for (size_t h = 0; h < SCORE_HORIZONS; h++)
            if (s->rows[h].below_s == kept->rows.v[i].below_s && score_is_sound(&kept->rows.v[i]))
                score_row_merge(&s->rows[h], &kept->rows.v[i]);
}

void forecast_scores_save(const struct forecast_scores *s, struct msg_scores *ret)
{
    *ret = (struct msg_scores){.since = s->since};
    for (size_t h = 0; h < SCORE_HORIZONS; h++)
        *rec_list_push(&ret->rows) = s->rows[h];
}

uint64_t forecast_scores_starts(const struct forecast_scores *s)
{
    return s->n;
}

static int score_by_value(const void *pa, const void *pb)
{
    const uint64_t *a = pa, *b = pb;
    return (*a > *b) - (*a < *b);
}

uint64_t forecast_scores_off_s(const struct forecast_scores *s, unsigned percent)
{
    uint64_t n = s->n < LAST_STARTS ? s->n : LAST_STARTS, sorted[LAST_STARTS];
    if (!n)
        return 0;
    memcpy(sorted, s->off_s, n * sizeof *sorted);
    qsort(sorted, n, sizeof *sorted, score_by_value);
    return sorted[(n - 1) * percent / 100];
}
