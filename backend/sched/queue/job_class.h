/* job_class.h - what waiting jobs ask for, each demand once.
 *
 *     struct eligible_nodes      the nodes of a partition that a request admits; request shapes share it
 *     struct request_shape    one demand in one partition for a time limit; classes of many owners share it
 *     struct job_class    the jobs of one owner that ask for the same: first come, first served among them
 */
#ifndef STOKER_BACKEND_SCHED_JOB_CLASS_H
#define STOKER_BACKEND_SCHED_JOB_CLASS_H

#include "backend/sched/limits/limits.h"
#include "backend/sched/queue/queue_key.h"
#include "backend/sched/resources/resources.h"
#include "src/base/list.h"

struct eligible_nodes {          /* the nodes of a partition that a request admits */
    struct eligible_nodes *next; /* with the same hash */
    uint64_t hash;
    char *key;
    size_t key_len;
    uint32_t refs;
    uint32_t part; /* position of its partition */
    struct nodeset nodes;
    bool avoids;        /* some nodes do not start this user's jobs for now: they are left out ... */
    struct nodeset all; /* ... and are in here */
};

struct futile_search {
    const struct qos_spec *qos;
    uint64_t mark; /* of the freed log, then */
};

struct request_shape {
    struct request_shape *next;
    uint64_t hash;
    char *key;
    size_t key_len;
    uint32_t refs;
    struct demand demand;
    struct eligible_nodes *set;
    int64_t len, len_min;
    bool unfit;          /* unfit: it did not fit when it was tried last */
    uint64_t unfit_mark; /* of the freed log, then */
    VEC(struct futile_search)
    futile_searches; /* searches that found no victims, by the QOS of the preemptor */
    bool unsure;     /* only a cycle finds out whether it fits */
    enum { EVER_UNKNOWN, EVER_YES, EVER_NO } ever; /* fits with every node up and empty */
};

struct owner { /* a user in an account */
    struct owner *next;
    char *account, *user;
    uint64_t shares; /* priorities.shares when the points were worked out */
    uint32_t points; /* of the fair share */
};

/* A class stands in the queue once for each tier (and job factor) among its partitions, with the choices
 * [first, first + n). Each has the tier and the priority of its own partitions alone, so that naming one
 * more partition changes nothing in the others. */
#define ALL_TIERS UINT32_MAX
struct class_tier {
    struct list *cursor;    /* the entry whose turn it is; &entries: none is left */
    int64_t fixed;          /* the part of the priority that stays, valid while: */
    uint64_t fixed_version; /* priorities.version; 0: not worked out */
    uint32_t prio;          /* of the entry at the cursor */
    uint64_t taken_in;      /* the last iteration that took it from the row; see cycle_row.c */
    uint32_t tier;
    uint32_t first, n;
};

/* Why the jobs of a class wait that were not tried themselves. */
struct class_reason {
    enum reason now, told;        /* of the last cycle; as it was reported */
    struct limit_verdict verdict; /* if it is a limit */
    uint32_t promised_to;         /* the job whose planned start needs what the limit leaves */
};

/* A cycle looks at the head of each class: members that it always reads stand first, in few cache lines. */
struct job_class {
    struct list link;         /* in classes.list */
    struct list entries;      /* by submission, then id */
    struct class_tier *tiers; /* the highest tier first; if there is only one it is: */
    struct class_tier only;
    uint32_t n_tiers;
    struct owner *owner;
    int64_t age_delay_ms; /* its jobs age from so long after their submission on */
    uint32_t n_choices;
    uint32_t level; /* of its QOS: a higher level comes first */
    bool begun;     /* step jobs that have begun come before other jobs */
    bool is_set;    /* an administrator has set the priority */
    bool licensed;
    bool never_licensed; /* more than are configured, or of a name that is not */
    struct class_reason rest;
    uint32_t number;                /* in classes.numbers */
    uint64_t nth;                   /* of all classes: the order of classes.list */
    uint64_t touched_in;            /* the last cycle that may have changed its reason */
    uint64_t tried_in;              /* the last iteration that has tried one of its jobs; see cycle_row.c */
    struct request_shape **shapes;  /* one for each choice */
    struct plan_choice *choices;    /* partitions that admit it: by tier, then as the request names them */
    struct limit_request *requests; /* one for each choice */
    const struct qos_spec *qos;     /* of its jobs; NULL: none that is configured */
    int64_t deadline;
    int64_t ends;         /* of step jobs that have started: their limit is over then; 0: never, or not
                             started */
    struct pool_use *own; /* of the reservation that it asks for; NULL: none */
    struct licence_list licences; /* if it is licensed */
    uint32_t n_pending;
    struct job_class *next; /* with the same hash */
    uint64_t hash;
    char *key;
    size_t key_len;
};

/* The tier that a choice belongs to. */
static inline uint32_t job_class_tier_of(const struct job_class *g, uint32_t choice)
{
    uint32_t e = 0;
    while (e + 1 < g->n_tiers && choice >= g->tiers[e + 1].first)
        e++;
    return e;
}

static inline struct queue_key queue_key_of(const struct job_class *g, uint32_t tier_at, bool borrow,
                                            uint32_t prio, int64_t submit_ms, uint32_t id, uint32_t index)
{
    return (struct queue_key){.first = (uint64_t)!borrow << 63 |
                                       queue_precedence(g->tiers[tier_at].tier, g->level) << 33 |
                                       (uint64_t)g->begun << 32 | prio,
                              .then_ms = submit_ms,
                              .last = (uint64_t)id << 32 | index};
}

#endif
