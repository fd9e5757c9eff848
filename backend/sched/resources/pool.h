/* pool.h - the nodes as numbers: running allocations, planned starts, where a demand fits now, and when it
 * will at the earliest.
 *
 * The pool knows no jobs or partitions: its caller (the planner, the simulator) puts allocations on it with
 * the ends that their time limits promise, and asks. Free amounts shrink within a cycle; what ends
 * is given back. A planned start is an allocation with a beginning in the future; a start takes nothing
 * that a planned start needs.
 *
 * Times are ms since the Epoch, WHEN_NEVER without an end.
 */
#ifndef STOKER_BACKEND_SCHED_POOL_H
#define STOKER_BACKEND_SCHED_POOL_H

#include "backend/sched/resources/free_index.h"
#include "backend/sched/resources/node_users.h"
#include "backend/sched/resources/timeline.h"
#include "src/base/heap.h"
#include "src/base/vec.h"
#include "src/model/need.h"

struct pool_node {
    struct amount cap;       /* all of it */
    struct amount free_now;  /* beside running allocations; planned starts are in the timeline alone */
    struct timeline line;    /* running and held */
    struct node_users users; /* the same, if pool.by_user */
    uint32_t n_planned;
    uint32_t weight;
    uint32_t group; /* 0: none */
    bool usable;    /* up and not drained */
};

/* A set of nodes, by index: those of a partition that satisfy the constraints of a request. */
struct nodeset {
    uint64_t *bits, *listed; /* listed: those that the request names; NULL: none */
    uint32_t n, n_listed;    /* how many */
    uint32_t words;
};
void nodeset_init(struct nodeset *s, uint32_t n_nodes);
void nodeset_fini(struct nodeset *s);
void nodeset_add(struct nodeset *s, uint32_t node);
void nodeset_add_listed(struct nodeset *s, uint32_t node); /* it must be in the set as well */
void nodeset_count(struct nodeset *s);                     /* after the bits were changed at once */
bool nodeset_has(const struct nodeset *s, uint32_t node);
bool nodeset_is_listed(const struct nodeset *s, uint32_t node); /* of a node that there is */

/* What an entry asks for. */
struct demand {
    struct job_need need;
    uint32_t nodes_max; /* the request's, and no more than the partition allows */
    bool overcommit;    /* its tasks share CPUs */
    bool tasks_given;   /* tasks_per_node is the most that a node gets, not what each gets */
    bool one_task;      /* of a step job: it goes to any of the nodes listed, not to all of them */
    struct pool_who who;
    uint32_t groups_max;  /* --switches: groups of nodes that it may lie in, if it starts before: */
    int64_t groups_until; /* ms; 0: any groups */
};

struct pool_part { /* of an allocation */
    uint32_t node;
    struct amount amount;
};
struct pool_parts {
    VEC(struct pool_part) v;
    struct pool_who who; /* whose, in a pool by users */
};

/* A running allocation, or a planned start. Members are the pool's; the caller embeds it or keeps it. */
struct pool_use {
    struct pool_part *parts; /* owned; NULL: not in use */
    uint32_t n_parts;
    struct pool_who who;
    int64_t start, end;
    bool is_planned;
    struct heap_node by_end; /* running ones */
};

struct pool {
    struct pool_node *nodes;
    uint32_t n_nodes;
    uint32_t n_groups; /* of nodes: the highest number of one */
    int64_t now;
    bool by_user;              /* set before the first allocation: nodes know whose allocations they have */
    struct free_index free;    /* by what is free now */
    struct heap ends;          /* of what runs */
    struct pool_scratch *work; /* arrays that searches use again */
    uint64_t cost;             /* nodes looked at in searches so far */
    uint64_t moved;            /* parts of allocations that were put on nodes or taken off */
};

void pool_init(struct pool *p, uint32_t n_nodes, int64_t now);
/* The same without its nodes, which are initialised one by one before any search: a large pool
 * in pieces. */
void pool_init_bare(struct pool *p, uint32_t n_nodes, int64_t now);
void pool_init_node(struct pool *p, uint32_t node);
void pool_fini(struct pool *p); /* every use has been dropped, or never will be */
void pool_set_node(struct pool *p, uint32_t node, struct amount cap, uint32_t weight, bool usable);

/* Nodes of one number are close to one another; 0: it is in no group. */
void pool_set_group(struct pool *p, uint32_t node, uint32_t group);

/* Moves the time. An allocation past its end (pool_drop was not called) is expected to end at the next
 * whole multiple of `overdue_ms` after its end. Cost: O(log) for each of these. */
void pool_advance(struct pool *p, int64_t now, int64_t overdue_ms);

/* Charges an allocation from now (a start, is_planned false) or from a later time on (a planned start).
 * Copies parts. */
void pool_run(struct pool *p, struct pool_use *u, const struct pool_parts *parts, int64_t end);
void pool_plan(struct pool *p, struct pool_use *u, const struct pool_parts *parts, int64_t start,
               int64_t end);
/* Gives it back, from now on. No-op if it is not in use. */
void pool_drop(struct pool *p, struct pool_use *u);
/* Takes an allocation or a planned start out for a moment and puts it back, so that a search sees its
 * resources as free. */
void pool_suspend(struct pool *p, struct pool_use *u);
void pool_restore(struct pool *p, struct pool_use *u);
/* A running allocation will end at another time. */
void pool_change_end(struct pool *p, struct pool_use *u, int64_t end);

/* Where it fits throughout [t, t + len), t >= now: fills parts (its contents are replaced) and returns
 * true. */
bool pool_place(struct pool *p, const struct demand *d, const struct nodeset *s, int64_t t, int64_t len,
                struct pool_parts *parts);

/* True: it fits now, as pool_place says. False: pool_place has to be asked. Cost: the nodes looked at until
 * enough are found. */
bool pool_fits_easily(const struct pool *p, const struct demand *d, const struct nodeset *s);

struct pool_span { /* when to look: a start in [from, before), free for len from then on */
    int64_t from, before, len;
};

/* The earliest start at which it fits; WHEN_NEVER: none. A demand that may be spread unevenly over nodes
 * with planned starts is tried at a bounded number of times; then the answer may be later than the
 * earliest. parts: where, as pool_place. */
int64_t pool_earliest(struct pool *p, const struct demand *d, const struct nodeset *s,
                      struct pool_span span, struct pool_parts *parts);

/* A judge says whether so much may be taken, if nodes come with more than was asked for; allows NULL:
 * whatever is free. */
struct pool_judge {
    bool (*allows)(void *ctx, uint32_t choice, const struct pool_parts *parts, int64_t len);
    void *ctx;
    uint32_t choice; /* the choice that is asked about */
    bool refused;    /* it has said no */
};
bool pool_allows(struct pool_judge *j, const struct pool_parts *parts, int64_t len); /* j: NULL is fine */

/* widen.c: where a demand that fits now on `before` nodes lies on more of them, as many as are free for len
 * and as the judge allows, up to nodes_max. False: on no more; ret is unchanged then. */
bool pool_widen(struct pool *p, const struct demand *d, const struct nodeset *s, int64_t len,
                uint32_t before, struct pool_judge *judge, struct pool_parts *ret);

/* The same within what the judge allows. If pool_place would take more: on one node the best of the allowed
 * ones; on several the nodes that give the least of what is counted: GPUs, else CPUs, else memory, else the
 * roomiest. The judge is asked last about what is in parts. */
bool pool_place_allowed(struct pool *p, const struct demand *d, const struct nodeset *s, int64_t t,
                        int64_t len, struct pool_judge *judge, struct pool_parts *parts);
int64_t pool_earliest_allowed(struct pool *p, const struct demand *d, const struct nodeset *s,
                              struct pool_span span, struct pool_judge *judge, struct pool_parts *parts);
/* Whether the node may give what all of the demand would take of it with nothing else on it. */
bool pool_node_is_allowed(const struct pool *p, const struct demand *d, uint32_t node, int64_t len,
                          struct pool_judge *judge);

/* Whether a node, by what is free on it now, could take part in it. Cost: O(1). */
bool pool_could_take(const struct pool *p, const struct demand *d, uint32_t node);
/* The same if so much more came free there; with nothing on it. */
bool pool_could_take_with(const struct pool *p, const struct demand *d, uint32_t node, struct amount more);
bool pool_could_ever_take(const struct pool *p, const struct demand *d, uint32_t node);

/* The parts of an allocation, to be put on the pool again; free them. */
struct pool_parts pool_parts_of(const struct pool_use *u);

/* What a node must have free for any part in it: with less pool_could_take is false. */
struct amount pool_least_of(const struct demand *d);

/* For how long from t on the parts stay free of others; WHEN_NEVER: for ever. */
int64_t pool_room(const struct pool *p, const struct pool_parts *parts, int64_t t);

#endif
