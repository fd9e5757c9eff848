/* limit_usage_internal.h - the counters, for limit_usage.c and limit_plan.c. */
#ifndef STOKER_BACKEND_SCHED_LIMIT_USAGE_INTERNAL_H
#define STOKER_BACKEND_SCHED_LIMIT_USAGE_INTERNAL_H

#include "backend/sched/limits/limit_usage.h"
#include "src/base/idmap.h"
#include "src/base/vec.h"

struct limit_amounts {
    uint64_t of[LIMIT_N_WHATS];
};

struct limit_counter { /* one limit, counted for one user, account ... */
    uint32_t spec;
    char *name;
    struct limit_amounts used;
    uint64_t charged_gpu_minutes; /* of jobs that have ended, faded; part of no sum */
    double gpu_s;                 /* the same, while it is added up */
    struct limit_amounts planned; /* upper bound for planned starts; valid while planned_in is the stamp */
    VEC(uint32_t) planners;       /* jobs with planned starts that count there, or did; the same */
    uint64_t planned_in;
    uint64_t changes;             /* of used and planners */
    struct limit_judgement plans; /* whether all planned starts fit */
    VEC(uint32_t) whos;           /* that it concerns */
    uint32_t next;                /* of the same hash; its position + 1 */
};

struct limit_who {
    char *key; /* the four names, each behind a separator; the last may be a list */
    VEC(uint32_t) counters;
    VEC(uint32_t) running; /* running jobs that are counted there */
    uint32_t next;
};

struct limit_charge { /* what a job adds to the counters, so that it can be taken away again */
    uint32_t who;
    struct limit_amounts amounts;
    uint32_t listed; /* its position + 1 in who.running; 0: not running */
};

struct limit_journal_entry { /* of the journal of a cycle: what has been charged, or given back */
    uint32_t who;
    struct limit_amounts amounts;
    bool back;
};

struct limits {
    const struct limit_spec *specs; /* the model's */
    size_t n_specs;
    VEC(uint32_t) limited; /* for each of them: a bit for each amount that it limits */
    VEC(struct limit_counter) counters;
    VEC(struct limit_who) whos;
    struct idmap counter_by_hash, who_by_hash; /* hash -> position + 1 of the first in the chain */
    struct idmap charges;                      /* job -> struct charge */
    VEC(struct limit_journal_entry) journal;
    bool counts_nodes;        /* some limit is on nodes */
    uint64_t n_changes;       /* of what counters have charged */
    VEC(uint64_t) changed_at; /* of each counter: n_changes when it changed last */
};

/* LIMIT_NONE: it is not limited. */
uint64_t limits_most(const struct limit_set *s, enum limit_what what);
void limits_amounts(const struct limit_request *request, struct limit_amounts *ret);
bool limits_has_counter(const struct limit_who *w, uint32_t counter);
static inline void limits_broken(struct limit_verdict *ret, enum limit_state state,
                                 const struct limit_spec *spec, enum limit_what what, const char *name)
{
    *ret = (struct limit_verdict){.state = state, .spec = spec, .what = what, .name = name};
}

/* The first hard limit that the amounts would break on top of what is charged, else the first soft
 * limit. */
void limits_judge(const struct limits *l, const struct limit_counter *c, const struct limit_amounts *used,
                  const struct limit_amounts *asked, struct limit_verdict *v);

#endif
