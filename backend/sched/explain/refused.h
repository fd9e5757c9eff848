/* refused.h - why the nodes of a partition do not do, counted by cause. */
#ifndef STOKER_BACKEND_SCHED_REFUSED_H
#define STOKER_BACKEND_SCHED_REFUSED_H

#include "backend/sched/explain/explain.h"

#define REFUSED_NAMED 256 /* nodes */

struct refused {
    uint32_t nodes;   /* looked at: in the partition */
    uint32_t avoided; /* do not start its user's jobs for now */
    const struct node *first_avoided;
    uint32_t out, drained, excluded, features, gpu_type, tmp, window;
    uint32_t held;                        /* free, but a place is held there before it could have ended */
    uint32_t cpus, gpus, mem, busy_whole; /* too little is free */
    uint32_t other_users;                 /* with jobs of other users: it shares with its own user alone */
    uint32_t one_user;                    /* with jobs that share with another user alone */
    uint32_t no_cpus, no_gpus, no_mem;    /* too little is there */
    uint32_t lost_gpus;                   /* enough, were it not for GPUs that must not be given */
    uint32_t groups_max;                  /* groups of nodes that it may lie in; 0: any */
    uint32_t fit_in_groups;               /* of those that would do, the most in as many groups */
    uint32_t fit;                         /* would do, but are too few, or give too little together */
    uint32_t nodes_max;                   /* it lies on that many at most */
    struct amount together;               /* of those that would do */
    bool spread;                          /* it may lie in parts of any size */
    struct amount asked, most;            /* of one node; the most that there is where it is too little */
    const struct window *first_window;    /* that is in the way */
    const struct node *first_gpus;        /* short of GPUs, with some of those */
    struct amount free_most, free_all;    /* of the nodes that are up and large enough: on one, in sum */
    uint32_t n_named;                     /* of the nodes below: the first */
    struct refused_node {
        uint32_t node;
        uint32_t why; /* which of the counters above, by its place in this struct */
    } named[REFUSED_NAMED];
};

/* The nodes of a partition against j, or against a task of its step s. empty: as if nothing ran and all
 * were up. The planner must know the state. */
void refused_count(const struct queue *q, const struct job *j, const struct step *s, uint32_t part,
                   bool empty, struct refused *ret);

/* Adds a part CAUSE_NODES with a part for each cause. named: with the names of the nodes behind each
 * number. */
void refused_add(const struct queue *q, const struct refused *r, bool named, struct cause *ret);
/* Adds a part for the nodes that are out for one reason, with that reason. */
void refused_add_out(const struct queue *q, const struct refused *r, struct cause *ret);
/* "gpu[1-2]": those behind one of the counters, at most as many as are named; NULL: none. Caller frees. */
char *refused_names(const struct queue *q, const struct refused *r, const uint32_t *counter);

/* Nodes that would do but are not to be had; whether others run on some that would do. */
bool refused_is_out(const struct refused *r);
bool refused_is_busy(const struct refused *r);
/* It is such GPUs alone. */
bool refused_is_lost_gpus(const struct refused *r);

/* --- admit.c --- */

/* In which every task of every step, or the whole job, would fit one day. text: NULL is fine. */
bool admit_could_fit(struct planner *p, const struct job *j, uint32_t part, struct cause *why);

#endif
