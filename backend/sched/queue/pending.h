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

/* Planned starts of the elements of an array behind the next one, for which others go too. */
struct extra_slots {
    struct extra_slot *v;
    uint32_t n;
    bool suspended;   /* lifted for a moment, for a job of a higher tier */
    struct list link; /* in entries.claimers while there are any */
};

/* When others were last found to make no room for a unit. */
struct futility {
    uint64_t mark, stay; /* gains + 1, and the holds that it looked behind; 0: never */
    uint32_t tier_at;    /* in which of its turns that was */
    int64_t not_before;
};

struct entry_forecast {
    int64_t start, made;             /* and when that was said; 0: never */
    int64_t first_start, first_made; /* what it was told first */
};

struct pending_entry { /* what a pass always reads of it stands first */
    struct list in_class;
    int64_t submit_ms;
    uint32_t order_id, order_index; /* among those submitted at the same time */
    uint32_t job;
    uint32_t count;     /* elements or tasks that wait */
    enum reason reason; /* why it waits, where it was looked at; NONE: as the rest of its group */
    const struct request_shape
        *chosen;           /* step jobs: where its first task went in this pass; NULL: none did */
    int64_t chosen_len;    /* and for how long: so have the others */
    bool noted;            /* an event has named it since the pass began that is under way */
    bool is_special;       /* a pass asks more about it than about others */
    bool by_element;       /* each element has its own dependencies */
    bool singleton;        /* one of its name at a time */
    uint32_t made_way_for; /* the job that preempted it, which has its turn first; 0: none, or it had */
    struct plan_slot slot;
    struct job_class *class;   /* NULL: a gate is closed */
    uint32_t at;               /* which of those that wait is next */
    uint32_t step_at, task_at; /* of step jobs: the step; its tasks before that have their places */
    enum reason parked;        /* the gate */
    enum reason told;          /* the reason that was told last */
    enum reason kept_off;      /* where the reason is RESOURCES: what keeps it off its nodes; or NONE */
    struct heap_node by_wake;  /* when to look again */
    struct futility futile;
    struct extra_slots extra;
    uint64_t victims_found; /* the decision in which others were last found to go for it */
    struct entry_forecast forecast;
};

struct active_alloc {
    uint32_t attempt; /* of a step job's task; 0: the job's */
    bool seen;
    struct pool_use use;
};

/* What runs and may have to go for others. */
struct preempt_candidate {
    bool any; /* it may, for somebody */
    bool borrowed;
    bool by_tier;  /* its partition has a preempt_mode */
    uint32_t tier; /* of the partition that it runs in, whatever others it named */
    uint64_t queue_precedence;
    const struct qos_spec *qos;
    int64_t size;    /* larger ones free more */
    uint64_t shares; /* its priority is of that time; priorities.shares */
    uint32_t prio;
};

struct active_job {
    uint32_t job, array_job;
    VEC(struct active_alloc *) v;
    size_t at;            /* behind the one that was found last */
    uint32_t attempt_max; /* of all */
    struct preempt_candidate candidate;
    struct list in_candidates; /* in active.candidates */
    struct list link;          /* in active.list */
    struct list in_leaving;    /* in active.leaving: on its way out */
    uint32_t for_job;          /* that it was asked to go for; 0: for nobody */
    int64_t leaves_until;      /* it is not waited for any longer than that */
    bool noted;                /* as unit.noted */
};

struct tentative { /* started in the pass, until the state says so */
    struct pool_use use;
    struct limit_request request; /* what limits count of it */
    uint32_t job, array_job;
};

#endif
