/* limit_time.h - limits at a future time: jobs that run now and have not ended by then, and planned starts.
 *
 */
#ifndef STOKER_BACKEND_SCHED_LIMIT_TIME_H
#define STOKER_BACKEND_SCHED_LIMIT_TIME_H

#include "backend/sched/limits/limit_usage.h"

struct limit_future { /* the changes from what is charged now to that time */
    int64_t t;
    const struct limit_request *planned; /* planned starts that run then */
    const struct limit_request *gone;    /* charged now, and ended by then */
    size_t n_planned, n_gone;
    int64_t (*end_of)(void *ctx, uint32_t job); /* of a running job */
    void *ctx;
};

/* Whether the request stays within every hard limit at that time; charged GPU minutes stay charged. The
 * verdict has what is used then. Cost: O(planned x limits that concern the request). Only if all planned
 * starts and all running jobs together exceed a limit, also O(running jobs that are counted there). */
bool limits_allow_at(const struct limits *l, const struct limit_request *request,
                     const struct limit_future *f, struct limit_verdict *ret);
/* Whether one limit counts both requests. */
bool limits_share(const struct limits *l, uint32_t who, uint32_t other);

/* Notes a planned start for limits_leave_plans; a new stamp forgets all earlier ones. */
void limits_note_plan(struct limits *l, const struct limit_request *request, uint32_t job, uint64_t stamp);
/* The job's planned start has moved: it may count in others as well. */
void limits_move_plan(struct limits *l, uint32_t who, uint32_t job, uint64_t stamp);
/* Jobs whose planned starts may share a counter with `who`: each at least once, in no order. */
size_t limits_planners(const struct limits *l, uint32_t who, uint64_t stamp, uint32_t **ret)
    __attribute__((warn_unused_result));
/* Whether the request fits beside all running jobs and all planned starts together, whatever their times.
 * If false, ask limits_allow_at. own: the planned start of the request itself was noted too. Cost: O(limits
 * that concern the request). */
bool limits_leave_plans(const struct limits *l, const struct limit_request *request, uint64_t stamp,
                        bool own);

/* Whether the request alone, with nothing else charged, would break a hard limit: then it can never run. */
bool limits_could_ever(const struct limits *l, const struct limit_request *request,
                       struct limit_verdict *ret);

#endif
