/* limit_plan.h - hard limits and licences over time: when something could start at the earliest, if what
 * counts runs to its time limit.
 *
 *     lp = limit_plan_new(limits, model)
 *     limit_plan_run(lp, job, end)               of each job that runs
 *     limit_plan_seal(lp, now)
 *     t = limit_plan_next(lp, &ask, ...)         as often as wanted; in between
 *     limit_plan_take(lp, &ask, ..., t, t + len) what is planned counts for those behind it
 *
 * Each counter is a timeline of what is left of it. GPU minutes fade: by when they have is worked out from
 * the half-life, as if all that runs were charged in full at the last end.
 */
#ifndef STOKER_BACKEND_SCHED_LIMIT_PLAN_H
#define STOKER_BACKEND_SCHED_LIMIT_PLAN_H

#include "backend/sched/limits/limit_usage.h"
#include "backend/sched/resources/resources.h"

struct limit_plan;

/* NULL where nothing is limited and there are no licences: then the others do nothing. l and m
 * outlive it. */
struct limit_plan *limit_plan_new(const struct limits *l, const struct model *m);
void limit_plan_free(struct limit_plan *lp);

/* Cost of all of it: O(n log n). */
void limit_plan_run(struct limit_plan *lp, const struct job *j, int64_t end);
/* The same of one that limits do not count yet. */
void limit_plan_start(struct limit_plan *lp, const struct limit_request *request, const char *licences,
                      int64_t end);
void limit_plan_seal(struct limit_plan *lp, int64_t now);

/* The earliest start from `from` on at which nothing is broken for so long; WHEN_NEVER: none is known.
 * licences: as the request has them, or NULL. Cost: O(steps of the counters that concern it). */
int64_t limit_plan_next(const struct limit_plan *lp, const struct limit_request *request,
                        const char *licences, int64_t from, int64_t len);
/* The same for the one limit that the verdict names. */
int64_t limit_plan_next_of(const struct limit_plan *lp, const struct limit_request *request,
                           const struct limit_verdict *only, int64_t from, int64_t len);
/* It is planned there. */
void limit_plan_take(struct limit_plan *lp, const struct limit_request *request, const char *licences,
                     int64_t from, int64_t to);

#endif
