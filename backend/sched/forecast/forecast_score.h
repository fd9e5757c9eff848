/* forecast_score.h - scores the first start that each waiting job was told. Pure.
 *
 *     forecast_scores_tell       a waiting job is told when it will start: the first time counts
 *     forecast_scores_started    it has started: its case is counted
 *     forecast_scores_keep       jobs that have left the queue, or no longer wait for their turn alone
 *
 * Keeps sums, and one case for each waiting job, so memory is bounded by the queue. The controller, the
 * simulator and the planner over a Slurm use these functions.
 */
#ifndef STOKER_BACKEND_SCHED_FORECAST_SCORE_H
#define STOKER_BACKEND_SCHED_FORECAST_SCORE_H

#include "src/answers/answer_score.h"
#include "src/base/time.h"

#define SCORE_LEAST_S 60 /* a start that was told as nearer than this does not count */

struct forecast_told {
    struct wall made, start;      /* when it was told; the start that was told */
    struct wall likely, unlikely; /* the range; unset: none was told */
    uint64_t range_key;           /* of forecast_range.h, as the queue was then: */
    uint32_t waiting;
};

struct forecast_scores;

struct forecast_scores *forecast_scores_new(void) __attribute__((warn_unused_result));
void forecast_scores_free(struct forecast_scores *s); /* NULL is fine */

/* Does nothing for a job that has been told a start before. */
void forecast_scores_tell(struct forecast_scores *s, uint32_t job, const struct forecast_told *t);
/* What the job was told first; NULL: nothing. Valid until the next call that changes s. */
const struct forecast_told *forecast_scores_told(const struct forecast_scores *s, uint32_t job);
void forecast_scores_started(struct forecast_scores *s, uint32_t job, struct wall start);
void forecast_scores_gone(struct forecast_scores *s, uint32_t job);
/* Forgets what was told to jobs for which keeps says false. Cost: O(jobs that were told). */
void forecast_scores_keep(struct forecast_scores *s, bool (*keeps)(void *ctx, uint32_t job), void *ctx);

/* The sums, by horizon. */
const struct score_row *forecast_scores_rows(const struct forecast_scores *s);
/* Continues from saved sums; sums of an unknown horizon are left out. */
void forecast_scores_restore(struct forecast_scores *s, const struct msg_scores *kept);
/* ret: rec_fini(&msg_scores_rec). */
void forecast_scores_save(const struct forecast_scores *s, struct msg_scores *ret);

/* The number of starts of jobs that had been told a start, near ones included. */
uint64_t forecast_scores_starts(const struct forecast_scores *s);
/* The error, in seconds, that the given share (in per cent) of the last 256 of these starts did not exceed.
 * 0 if there are none. */
uint64_t forecast_scores_off_s(const struct forecast_scores *s, unsigned percent);

#endif
