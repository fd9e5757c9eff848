/* reference_sched.h - the policy as docs/SCHEDULER.md words it, as slow as it comes out: what the planner
 * is compared with on small clusters. Shares no code with it but the model and the meaning of a request
 * (need.h).
 *
 * It knows batch jobs and arrays on one node, or on N nodes with a task each; whole nodes; partitions,
 * tiers and given priorities; --begin, holds, --time-min, --deadline, -w with one node, -x, -C, GPU types,
 * throttles, hard limits of users, licences, maintenance windows. Every plan is made from nothing.
 */
#ifndef STOKER_TESTS_LIB_REFERENCE_SCHED_H
#define STOKER_TESTS_LIB_REFERENCE_SCHED_H

#include "src/base/vec.h"
#include "tests/lib/lab.h"

struct ref_use { /* of a node, in [start, end) */
    uint32_t node;
    int64_t cpus, mem_mib, gpus;
    int64_t start, end;
    uint32_t job; /* for whom; 0: a window */
    bool hold;
    uint32_t round; /* of a hold: in which its job had its turn last */
    uint32_t tier;  /* the same: of its partition */
    bool first;     /* of the nodes of its job */
};

struct ref_entry { /* starts now, or has a place */
    uint32_t job, index;
    int64_t start, len_ms; /* WHEN_NEVER: without an end */
    uint32_t part;
    uint32_t counts; /* a place held: the partition where it counts */
    uint32_t round;  /* the same: in which it had its turn last */
    uint32_t n_nodes;
    uint32_t nodes[8];
};

enum ref_lift { LIFT_NONE, LIFT_LOWER_TIERS, LIFT_ALL };

#define REF_ALL_TIERS UINT32_MAX

struct ref_plan {
    const struct model *m;
    int64_t now;
    VEC(struct ref_use) uses;
    VEC(struct ref_entry) starts, holds;
    uint32_t *held; /* by partition */
    bool *closed;
    uint32_t round;      /* the queue is gone through again where a place was given up */
    bool moves;          /* in this round a place was given back, or moved */
    bool limited;        /* the last one would have got more than a limit leaves */
    enum ref_lift lifts; /* which holds of those whose turn has not come in this round do not count */
    uint32_t tier;       /* whose turn it is: the job in its partitions of this tier alone */
};

void ref_plan_make(struct ref_plan *p, const struct model *m, struct wall now);
/* Only what runs, and windows. */
void ref_plan_bare(struct ref_plan *p, const struct model *m, struct wall now);
void ref_plan_fini(struct ref_plan *p);

/* Every job in the order of the queue, once for each tier among its partitions; those behind gates too. */
struct ref_turn {
    const struct job *j;
    uint32_t tier;
};
struct ref_order {
    VEC(struct ref_turn) v;
};
void ref_order_make(const struct model *m, struct ref_order *ret);

/* Whether a job could start now beside these uses in one of its partitions, at full length or shortened. */
bool ref_fits_now(struct ref_plan *p, const struct job *j, struct ref_entry *ret);

#endif
