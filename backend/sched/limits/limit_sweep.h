/* limit_sweep.h - at which of many times a request would break a hard limit, in one pass over the changes
 * until then. limit_time.h answers for one time, with the verdict.
 */
#ifndef STOKER_BACKEND_SCHED_LIMIT_SWEEP_H
#define STOKER_BACKEND_SCHED_LIMIT_SWEEP_H

#include "backend/sched/limits/licence.h"
#include "backend/sched/limits/limit_usage.h"
#include "src/base/vec.h"

struct sweep_time {
    int64_t t;
    size_t nth; /* in the order of the caller */
};

struct sweep_use { /* a planned start, or something that is charged now */
    struct limit_request request;
    bool limited;                        /* limits count the request */
    const struct licence_list *licences; /* NULL: none */
    int64_t start, end;
};

struct limit_sweep {
    VEC(struct sweep_time) times;               /* ascending after limit_sweep_order */
    VEC(struct sweep_use) planned;              /* from their starts to their ends */
    VEC(struct sweep_use) gone;                 /* charged now, given back at their ends */
    int64_t (*end_of)(void *ctx, uint32_t job); /* of a running job */
    void *ctx;
};

void limit_sweep_fini(struct limit_sweep *s);
/* Call when all times are known, before the questions. */
void limit_sweep_order(struct limit_sweep *s);

/* The first of the times, in the order of the caller, at which limits_allow_at would refuse the request;
 * SIZE_MAX: none. Cost: O((planned + times) log) for each limit that all of them together would break, and
 * the running jobs that are counted there. */
size_t limit_sweep_refused(const struct limit_sweep *s, const struct limits *l,
                           const struct limit_request *request);
/* Whether all planned starts fit beside what is used, at every time: so does each of them alone. */
bool limit_sweep_fits(const struct limit_sweep *s, const struct limits *l, uint32_t counter);

/* Whether it is still known that all planned starts of the counter fit, or that they do not. */
enum limits_plans { PLANS_UNKNOWN, PLANS_FIT, PLANS_DO_NOT_FIT };
enum limits_plans limits_plans_of(const struct limits *l, uint32_t counter, uint64_t iteration,
                                  const struct limit_judgement *now);
void limits_set_plans(struct limits *l, uint32_t counter, const struct limit_judgement *now);
/* The counters that concern `who`, and the jobs with planned starts that count there. */
size_t limits_counters(const struct limits *l, uint32_t who, const uint32_t **ret);
size_t limits_planners_of(const struct limits *l, uint32_t counter, uint64_t iteration,
                          const uint32_t **ret);

/* The same of the licences that the request asks for. used: those in use now, by position in the
 * configuration; running ones are among `gone`. */
size_t limit_sweep_licences_refused(const struct limit_sweep *s, const struct model *m,
                                    const struct licence_use *used, const struct licence_list *asked);
/* Whether all planned starts fit, as limit_sweep_fits. */
bool limit_sweep_licences_fit(const struct limit_sweep *s, const struct model *m,
                              const struct licence_use *used);

#endif
