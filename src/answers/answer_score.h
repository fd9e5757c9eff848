/* answer_score.h - scores of forecasts: as they are counted, stored and sent. */
#ifndef STOKER_ANSWERS_ANSWER_SCORE_H
#define STOKER_ANSWERS_ANSWER_SCORE_H

#include <stdbool.h>
#include <stdint.h>

#include "src/record/rec.h"

#define SCORE_HORIZONS    4  /* of waits as they were told: */
#define SCORE_BAND        50 /* per cent of the jobs should start within the range that they are told */
#define SCORE_TOLERANCE_S 60 /* a job that starts at most this late is not later than told */

struct score_row {                   /* of the forecasts of one horizon */
    uint32_t below_s;                /* waits that were told as shorter than this; 0: all others */
    uint64_t starts;                 /* jobs that were told a start, and have started */
    uint64_t later;                  /* of these: started later than told by more than the tolerance */
    uint64_t ranges;                 /* of these: were told a range */
    uint64_t before, inside, behind; /* of these: where the start was */
    double told_s;                   /* sum of the waits that were told */
    double early_s, late_s;          /* sums of how much sooner and how much later than told jobs started */
    double width_s, interval_s;      /* of ranges: sums of their widths and of their interval scores */
};
#define SCORE_ROW_FIELDS(F, G, S)                                                                   \
    F(S, U32, below_s)                                                                              \
    F(S, U64, starts) F(S, U64, later) F(S, U64, ranges) F(S, U64, before) F(S, U64, inside)        \
        F(S, U64, behind) F(S, F64, told_s) F(S, F64, early_s) F(S, F64, late_s) F(S, F64, width_s) \
            F(S, F64, interval_s)

struct msg_scores { /* the whole answer; the rows in the order of their horizons */
    struct wall since;
    REC_LIST(struct score_row) rows;
};
#define MSG_SCORES_FIELDS(F, G, S) F(S, WALL, since) G(S, LISTOF, rows, score_row)

extern const struct rec_desc score_row_rec, msg_scores_rec;

/* Counts a start that was told as told_s seconds away and came after came_s seconds. has_range: the range
 * told was low_s to high_s seconds. */
struct score_case {
    double told_s, came_s;
    bool has_range;
    double low_s, high_s;
};

void score_row_add(struct score_row *r, const struct score_case *c);
/* Adds a row to *r, which keeps its horizon. */
void score_row_merge(struct score_row *r, const struct score_row *other);
/* The sum over all horizons. */
struct score_row score_total(const struct msg_scores *m);
/* Makes the rows of the horizons, all zero except for below_s. */
void score_rows_init(struct score_row rows[SCORE_HORIZONS]);
/* The index of the horizon of a wait. */
size_t score_horizon_of(double told_s);

/* Figures of a row; 0 where there is nothing to divide by. */

double score_part(uint64_t n, uint64_t of);      /* 0 ... 1 */
double score_bias_s(const struct score_row *r);  /* mean of came - told: negative, sooner */
double score_early_s(const struct score_row *r); /* mean of what jobs started sooner than told */
double score_late_s(const struct score_row *r);  /* mean of what jobs started later than told */
double score_width_s(const struct score_row *r); /* mean width of the ranges */
/* Mean interval score: the width, plus, for a start outside the range, 4 times its distance from the range.
 * Lower is better. Source: Gneiting and Raftery, "Strictly proper scoring rules, prediction, and
 * estimation", 2007, equation 43, with alpha = 0.5. */
double score_interval_s(const struct score_row *r);

#endif
