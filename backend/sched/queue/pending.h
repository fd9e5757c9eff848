/* pending.h - what waits, and what runs.
 *
 *     struct pending_entry     a waiting job, the record of an array, or a step job with waiting tasks
 *     struct active_job     what an active job has on the pool
 */
#ifndef STOKER_BACKEND_SCHED_PENDING_H
#define STOKER_BACKEND_SCHED_PENDING_H

#include "backend/sched/queue/job_class.h"

struct extra_slot {
    struct pool_use use;
    uint32_t partition;
};

/* Planned starts of the elements of an array behind the next one, for which jobs are preempted too. */
struct extra_slots {
    struct extra_slot *v;
    uint32_t n;
    bool suspended;   /* taken out for a moment, for a job of a higher tier */
    struct list link; /* in entries.with_extra_slots while there are any */
};

/* The last preemption search of an entry that found no victims. */
struct futility {
    uint64_t mark, stay; /* of the freed log + 1, and a hash of the slots that stayed; 0: never */
    uint32_t tier_at;    /* the tier for which it searched */
    int64_t not_before;
};

struct entry_forecast {
    int64_t last_end;    /* of its elements that are planned; 0: not known, or one only */
    int64_t start, made; /* made: when the start was worked out; 0: never */
    uint64_t range_key;  /* hash of its user and name; 0: not known yet */
    bool first_is_void;  /* its first forecast no longer counts: another request, or another cause */
};

struct pending_entry { /* members that a cycle always reads stand first */
    struct list in_class;
    int64_t submit_ms;
    uint32_t order_id, order_index; /* among those submitted at the same time */
    uint32_t job;
    uint32_t count;     /* elements or tasks that wait */
    enum reason reason; /* why it waits, if it was tried; NONE: as the rest of its class */
    const struct request_shape
        *chosen;           /* step jobs: the shape of the first task that this cycle started; NULL: none */
    int64_t chosen_len;    /* and its time limit, which its other tasks get too */
    uint64_t came;         /* slots.arrivals when it was submitted, queued again or changed */
    bool noted;            /* an event has named it since the cycle under way began */
    bool is_special;       /* it needs checks that most entries do not */
    bool by_element;       /* each element has its own dependencies */
    bool singleton;        /* one of its name at a time */
    uint32_t made_way_for; /* its preemptor, which has its turn first; 0: none, or it had it */
    struct plan_slot slot;
    struct job_class *class;   /* NULL: it is not eligible */
    uint32_t throttle;         /* of its array, as it asked for it last */
    uint32_t at;               /* the element that is next */
    uint32_t step_at, task_at; /* of step jobs: the step, and its first waiting task */
    enum reason parked;        /* why it is not eligible */
    enum reason told;          /* the reason that was reported last */
    enum reason kept_off;      /* if the reason is RESOURCES: what keeps it off its nodes; or NONE */
    struct heap_node by_wake;  /* when its eligibility may change */
    struct futility futile;
    struct extra_slots extra;
    uint64_t victims_found; /* the cycle that last found victims for it */
    bool victims_gone;      /* it has a slot, and when the last full cycle ended no victim was left */
    struct entry_forecast forecast;
};

struct active_alloc {
    uint32_t attempt; /* of a step job's task; 0: the job's */
    bool seen;
    struct pool_use use;
};

/* A running job as a preemption candidate. */
struct preempt_candidate {
    bool any;             /* some job may preempt it now */
    int64_t exempt_until; /* no job may before then, though a rule allows it; 0: it is not exempt */
    bool borrowed;
    bool by_tier;  /* its partition has a preempt_mode */
    uint32_t tier; /* of the partition that it runs in, whatever others it named */
    uint64_t queue_precedence;
    const struct qos_spec *qos;
    uint64_t shares; /* priorities.shares when prio was worked out */
    uint32_t prio;
};

struct active_job {
    uint32_t job, array_job;
    struct pool_who who;
    VEC(struct active_alloc *) v;
    size_t at;            /* where the next search begins */
    uint32_t attempt_max; /* of all */
    struct preempt_candidate candidate;
    struct list in_candidates;     /* in active.candidates */
    struct heap_node by_exemption; /* in active.exempt, by the end of its minimum run */
    struct list link;              /* in active.list */
    struct list in_leaving;        /* in active.leaving: on its way out */
    uint32_t for_job;              /* its preemptor; 0: none */
    int64_t leaves_until;          /* until then its preemptor waits for its end */
    bool noted;                    /* as entry.noted */
    bool away; /* out of the pool for a moment, while a search tries a start at which it has gone */
};

struct tentative { /* a start of the last cycle, until the state has it */
    struct pool_use use;
    struct limit_request request; /* as limits count it */
    uint32_t job, array_job;
    const struct licence_list *licences; /* that it took; NULL: none */
};

#endif
