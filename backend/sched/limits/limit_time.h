/* limit_time.h - limits at a time to come: what runs now and has not ended by then, and what is planned.
 */
#ifndef STOKER_BACKEND_SCHED_LIMIT_TIME_H
#define STOKER_BACKEND_SCHED_LIMIT_TIME_H

#include "backend/sched/limits/limit_usage.h"

struct limit_future { /* who runs then, of what runs now and what is planned */
    int64_t t;
    const struct limit_request *planned; /* and runs then */
    const struct limit_request *gone;    /* charged now, and over by then */
    size_t n_planned, n_gone;
    int64_t (*end_of)(void *ctx, uint32_t job); /* of a job that runs */
    void *ctx;
};

/* Whether the request stays within every hard limit then; GPU minutes do not come back. The verdict has
 * what is used then. Cost: O(planned x limits that concern it), and only if all that is planned beside all
 * that runs is too much, O(jobs that run and are counted there). */
bool limits_allow_at(const struct limits *l, const struct limit_request *request,
                     const struct limit_future *f, struct limit_verdict *ret);
/* Whether some limit counts both. */
bool limits_share(const struct limits *l, uint32_t who, uint32_t other);

/* A planned start, for limits_leave_plans; stamp: a new one forgets all others. */
void limits_note_plan(struct limits *l, const struct limit_request *request, uint64_t stamp);
/* Whether the request fits beside all that runs and all planned starts together, whenever they run. False:
 * limits_allow_at knows. own: the planned start of the request itself was noted too. Cost: O(limits that
 * concern it). */
bool limits_leave_plans(const struct limits *l, const struct limit_request *request, uint64_t stamp,
                        bool own);

/* Whether the ask alone, with nothing held, would break a hard limit: then it can never run. */
bool limits_could_ever(const struct limits *l, const struct limit_request *request,
                       struct limit_verdict *ret);

#endif
