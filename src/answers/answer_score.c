/* answer_score.c - sums and means of forecast scores. */
#include "src/answers/answer_score.h"

#define MISS_FACTOR (2.0 / (1.0 - SCORE_BAND / 100.0)) /* 2 / alpha */

REC_DEFINE(score_row, SCORE_ROW_FIELDS)
REC_DEFINE(msg_scores, MSG_SCORES_FIELDS)

/* Minutes, an hour, a shift, longer: the scores of short waits say nothing about a wait until tomorrow. */
static const uint32_t score_below_s[SCORE_HORIZONS] = {10 * 60, 60 * 60, 6 * 60 * 60, 0};

void score_rows_init(struct score_row rows[SCORE_HORIZONS])
{
    for (size_t i = 0; i < SCORE_HORIZONS; i++)
        rows[i] = (struct score_row){.below_s = score_below_s[i]};
}

size_t score_horizon_of(double told_s)
{
    size_t i = 0;
    while (score_below_s[i] && told_s >= score_below_s[i])
        i++;
    return i;
}

static void score_row_add_range(struct score_row *r, const struct score_case *c)
{
    double miss = 0;
    r->ranges++;
    if (c->came_s < c->low_s) {
        r->before++;
        miss = c->low_s - c->came_s;
    } else if (c->came_s > c->high_s) {
        r->behind++;
        miss = c->came_s - c->high_s;
    } else {
        r->inside++;
    }
    r->width_s += c->high_s - c->low_s;
    r->interval_s += c->high_s - c->low_s + MISS_FACTOR * miss;
}

void score_row_add(struct score_row *r, const struct score_case *c)
{
    double off = c->came_s - c->told_s;
    r->starts++;
    r->later += off > SCORE_TOLERANCE_S;
    r->told_s += c->told_s;
    r->early_s += off < 0 ? -off : 0;
    r->late_s += off > 0 ? off : 0;
    if (c->has_range)
        score_row_add_range(r, c);
}

void score_row_merge(struct score_row *r, const struct score_row *other)
{
    r->starts += other->starts;
    r->later += other->later;
    r->ranges += other->ranges;
    r->before += other->before;
    r->inside += other->inside;
    r->behind += other->behind;
    r->told_s += other->told_s;
    r->early_s += other->early_s;
    r->late_s += other->late_s;
    r->width_s += other->width_s;
    r->interval_s += other->interval_s;
}

struct score_row score_total(const struct msg_scores *m)
{
    struct score_row sum = {0};
    for (size_t i = 0; i < m->rows.n; i++)
        score_row_merge(&sum, &m->rows.v[i]);
    return sum;
}

double score_part(uint64_t n, uint64_t of)
{
    return of ? (double)n / (double)of : 0;
}

static double score_mean(double sum, uint64_t n)
{
    return n ? sum / (double)n : 0;
}

double score_bias_s(const struct score_row *r)
{
    return score_mean(r->late_s - r->early_s, r->starts);
}

double score_early_s(const struct score_row *r)
{
    return score_mean(r->early_s, r->starts);
}

double score_late_s(const struct score_row *r)
{
    return score_mean(r->late_s, r->starts);
}

double score_width_s(const struct score_row *r)
{
    return score_mean(r->width_s, r->ranges);
}

double score_interval_s(const struct score_row *r)
{
    return score_mean(r->interval_s, r->ranges);
}
