/* eligibility.h - what keeps a job from being looked at: holds, times, partitions' rules. Gates come before
 * resources. */
#ifndef STOKER_BACKEND_SCHED_ELIGIBILITY_H
#define STOKER_BACKEND_SCHED_ELIGIBILITY_H

#include "backend/sched/limits/licence.h"
#include "backend/sched/limits/limit_usage.h"

/* What the policy may look at. */
struct sched_view {
    const struct model *model;
    /* Whether the user is in one of the Unix groups; the caller answers from what it has looked up. NULL:
     * no user is. */
    bool (*in_groups)(void *ctx, uint32_t uid, const struct strv *groups);
    void *ctx;
    struct limits *limits;              /* what is allocated, kept up by the caller; NULL: no limits */
    const struct licence_use *licences; /* likewise; NULL: what active jobs have */
};

/* The names of the partitions a job may run in: the request's, else the default one. Caller frees. */
struct strv eligible_partitions(const struct model *m, const struct job *j);

/* May a job of this kind, user and request run in the partition at all? part NULL: no such partition.
 * REASON_NONE: yes. why (may be NULL) gets the rule with its numbers. */
enum reason eligibility_in_partition(const struct sched_view *v, const struct job *j,
                                     const struct part_spec *part, struct cause *why);

/* May it stand in the reservation that it names, now? REASON_NONE: it names none, or may. why (may be
 * NULL) says why not; ret_clears: when the reservation begins. */
enum reason eligibility_in_reservation(const struct model *m, const char *user, const struct job_req *req,
                                       struct wall now, struct wall *ret_clears, struct cause *why);

/* Is the job's turn possible now: holds, dependencies, times, partitions' rules, reservations? REASON_NONE:
 * yes. ret_clears: when an eligibility rule of time opens. An array's record cycles as soon as one of its
 * elements may; where dep_is_final says no each is asked about (dep_job_state), where dep_is_singleton one
 * at a time. */
enum reason eligibility_of_job(const struct sched_view *v, const struct job *j, struct wall now,
                               struct wall *ret_clears);

/* When the last of them opens that the clock opens (a begin time, a time after another's start, a
 * reservation's beginning), now where none is closed; unset where another one is. */
struct wall eligibility_time(const struct sched_view *v, const struct job *j, struct wall now);

/* The hard limit that the job's next start would break, or a soft limit, or none: in the first of its
 * partitions whose hard limits allow the start, otherwise in the first. ret_ask: what the job asks for in
 * that partition. */
enum limit_state eligibility_limits(const struct sched_view *v, const struct job *j,
                                    struct limit_request *ret_ask, struct limit_verdict *ret);

#endif
