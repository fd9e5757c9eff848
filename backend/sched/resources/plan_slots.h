/* plan_slots.h - the book of planned starts: which jobs start now, for which a start is planned, which
 * wait. The caller asks for one job after the other, in the order of the queue.
 *
 *     for each request in order:
 *         fits now beside all planned starts      -> it starts
 *         else its partition has a slot left      -> its earliest start is planned
 *         else                                    -> it waits; without backfill, so do all behind it in
 *                                                    its partition
 *
 * A job that may go to partitions of different tiers makes one request for each tier, with the choices of
 * that tier. It has one slot, which belongs to the request that found it. Slots of a lower tier never stand
 * in the way of a request of a higher tier, even if that one may have no slot itself.
 *
 * Slots are counted for each partition. With `keep` a slot stays from cycle to cycle and only moves earlier
 * (compression: each waiting job is taken out and put back, in order), until a job that has come since and
 * stands before it needs the nodes. If false, each cycle plans again.
 *
 *     policy       depth  backfill  keep
 *     fcfs             0  no        no
 *     easy             1  yes       no
 *     replan         all  yes       no
 *     cons           all  yes       yes
 *     the controller   K  yes       yes
 *
 * Sources: Lifka 1995 (EASY), Mu'alem and Feitelson 2001 (conservative, compression).
 */
#ifndef STOKER_BACKEND_SCHED_PLAN_SLOTS_H
#define STOKER_BACKEND_SCHED_PLAN_SLOTS_H

#include "backend/sched/resources/pool.h"
#include "src/base/list.h"

#define PLAN_ALL UINT32_MAX

struct plan_opts {
    uint32_t depth; /* slots in each partition */
    bool backfill;  /* false: strictly in order */
    bool keep;
    bool shortest; /* the caller asks for the shortest first of those that have no slot */
    bool predicts; /* and uses run times that are expected; a kept slot may move up to its promise */
};

/* One way to run: in one of its partitions. */
struct plan_choice {
    uint32_t partition;
    const struct demand *demand;
    const struct nodeset *set;
    int64_t len;          /* ms: its time limit there */
    int64_t len_min;      /* ms: with --time-min the limit may be cut to this for a start now; else len */
    struct pool_use *own; /* its reservation, whose nodes are free for it; NULL: none */
};

struct plan_request {
    const struct plan_choice *choices; /* in the order of preference */
    uint32_t n_choices;
    uint32_t tier_at;  /* the position of this tier among its tiers */
    uint32_t tier;     /* of all these choices */
    uint32_t job;      /* 0: not known */
    int64_t deadline;  /* the job must have ended by then; WHEN_NEVER */
    int64_t ends;      /* the end of the step job that it belongs to; 0: it belongs to none */
    uint64_t came;     /* plan_slots.arrivals when the job came: older promises do not give way to it */
    uint64_t promised; /* of its own slot in this tier; 0: it has none, or no promise */
    bool fewest;       /* on the fewest nodes, although it may take more */
    bool by_preemptor; /* its victims have gone: a job that waits before it does not close its partitions */
    /* Whether limits allow that much there; NULL: whatever is free. */
    bool (*allows)(void *ctx, uint32_t choice, const struct pool_parts *parts, int64_t len);
    /* Whether that start leaves enough of limits and licences for planned starts; NULL: always. */
    bool (*leaves)(void *ctx, uint32_t choice, const struct pool_parts *parts, int64_t start, int64_t len);
    void *ctx;
};

struct plan_slot;
struct slot_on_node {
    struct list link; /* in plan_slots.on_node */
    struct plan_slot *slot;
};

/* The planned start of a waiting job, embedded in its entry. Zeroed: none. */
struct plan_slot {
    struct pool_use use;
    struct slot_on_node *on; /* owned: one for each part; NULL while no start is planned */
    uint32_t n_on;
    uint32_t partition;     /* where the job will run */
    uint32_t tier_at, tier; /* of the request that found it */
    uint32_t counts;        /* the partition whose slots it counts against */
    bool by_preemption;     /* of a preemptor: counts against no partition */
    uint64_t visited;       /* the iteration that looked at it last */
    uint64_t promised; /* plan_slots.arrivals at the end of its first cycle; 0: that cycle has not ended */
    int64_t latest;    /* the start that was promised; 0: none yet. use.start is later in no case */
    uint64_t mark;     /* of the freed log, when it was looked at last */
    bool suspended;    /* taken out for a moment, for a job before it */
    bool limited;      /* limits forbade a better placement, and may allow it another time */
    bool is_earliest;  /* when it was looked at last, there was no earlier start anywhere */
    struct pool_use *own; /* of the choice: the reservation that it lies in */
    uint64_t lost;        /* the iteration in which a job before it took the room */
    uint32_t job;         /* of the request that found it */
    uint64_t stays;       /* its part of plan_slots.stay; 0: it has none */
    uint64_t nth;         /* of all that were planned: the order of plan_slots.list */
    struct list link;     /* in plan_slots.list while a start is planned */
    struct list in_count; /* in plan_slots.counted[counts], if it counts against a partition */
};

struct placement { /* of a job that starts now, or whose start is planned */
    uint32_t choice;
    int64_t start, len;
    struct pool_parts parts; /* the caller's, reused; placement_fini */
};
void placement_fini(struct placement *p);

struct plan_partition {
    uint32_t n_held;
    uint32_t n_promised; /* slots of earlier cycles at the beginning of the iteration */
    bool closed;         /* no more slots in this iteration */
};

struct plan_slots {
    struct pool *pool;
    struct plan_opts opts;
    struct plan_partition *partitions;
    uint32_t n_partitions;
    struct list list;
    struct list *counted; /* of each partition: the slots that count against it */
    struct list *on_node; /* of each node: the slots that lie there */
    uint64_t n_planned;   /* slots in the list */
    uint64_t n_booked;    /* slots planned so far */
    uint64_t stay;        /* a sum of hashes of the slots that stay: of preemptors, or visited */
    uint64_t iteration;
    uint64_t arrivals;  /* jobs that have come, counted by the caller */
    bool gained;        /* something came free since the last iteration: slots may move earlier */
    bool invalidated;   /* something was lost as well: a node, or a running job takes longer */
    uint64_t n_dropped; /* slots dropped so far: what did not fit may fit now */
    bool lifts;         /* slots are taken out temporarily: */
    VEC(struct plan_slot *) suspended; /* those of the last time, in the order of the list */
    bool again; /* a request that was answered in this iteration would be answered otherwise now */
    VEC(uint32_t) freed_log;    /* nodes on which something came free, in order */
    uint64_t freed_forgotten;   /* entries that stood before those */
    struct plan_choice *narrow; /* room for a request's choices, cut down to the nodes of the freed log */
    struct nodeset *narrow_sets;
    uint32_t n_narrow;
};

void plan_slots_init(struct plan_slots *b, struct pool *p, const struct plan_opts *o,
                     uint32_t n_partitions);
/* Drops all slots; the structs of their owners are zeroed. */
void plan_slots_fini(struct plan_slots *b);

/* Call at the end of a cycle: the planned starts become promises. A promise moves later only for a job that
 * comes from now on, for a higher tier, or if it is no longer possible. */
void plan_slots_promise(struct plan_slots *b);

/* Begins an iteration at the pool's time. gained: since the last one an allocation ended earlier than
 * planned, a node came back, or a job left the queue. */
void plan_slots_begin(struct plan_slots *b, bool gained);
/* After that: a node was lost, or an allocation takes longer. Slots that are no longer possible are planned
 * again in this iteration. */
void plan_slots_invalidate(struct plan_slots *b);

/* Something came free on a node: as `gained`, for this node alone. */
void plan_slots_note_freed(struct plan_slots *b, uint32_t node);
void plan_slots_note_freed_all(struct plan_slots *b, const struct pool_use *u); /* on all of its nodes */
/* Where the freed log ends now, and whether anything came free since then that this demand could use now
 * (NULL: anything in the set). Cost: O(entries since then). */
uint64_t plan_slots_freed_mark(const struct plan_slots *b);
bool plan_slots_freed_since(const struct plan_slots *b, uint64_t mark, const struct demand *d,
                            const struct nodeset *s);

/* Can it start now? True: ret says where; the caller charges the pool (pool_run). A job that has a slot, of
 * this request or another, gives it up when it starts. */
bool plan_slots_start(struct plan_slots *b, const struct plan_request *it, struct plan_slot *h,
                      struct placement *ret);

/* The same for a job that is not in the queue: it comes behind all others, and no slot gives way to it. */
bool plan_slots_start_beside(struct plan_slots *b, const struct plan_request *it, struct placement *ret);

/* Whether such a job would start if no slot of a lower tier stood in its way, and some do. */
bool plan_slots_fits_above(struct plan_slots *b, const struct plan_request *it, struct placement *ret);

/* Asks the request whether limits allow a placement of that choice. */
struct pool_judge plan_request_judge(const struct plan_request *it, uint32_t choice);

/* The iteration has come to the slot's job: it gives way to none of those that follow. */
void plan_slots_visit(struct plan_slots *b, struct plan_slot *h);
/* What the slot's job may rely on: the planned start, or a later one that was promised. */
int64_t plan_slot_told(const struct plan_slot *h);

/* For jobs that do not fit by their time limits. */
struct plan_yield {
    int64_t expected; /* ms: the job has ended by then, mostly */
    /* The request of the slot's job for its partition; false: the slot does not move. */
    bool (*request)(void *ctx, struct plan_slot *h, struct plan_request *ret);
    /* Whether the slot may stay where it has been moved to. */
    bool (*stands)(void *ctx, struct plan_slot *h);
    void *ctx;
};
/* plan_slots_yield.c: can the job start now if it runs as long as expected? Slots that its whole limit runs
 * into move later, none behind its promise, or else it does not start. No slot gives way to it otherwise.
 * True: ret says where, with the whole limit. */
bool plan_slots_start_expected(struct plan_slots *b, const struct plan_request *it,
                               const struct plan_yield *y, struct placement *ret);
/* Whether so short a run would fit now, beside all slots. */
bool plan_slots_fits_for(struct plan_slots *b, const struct plan_request *it, int64_t len);

/* Takes the slot out of the book; its resources are the caller's. */
void plan_slots_unlink(struct plan_slots *b, struct plan_slot *h);

/* Whether the slot is on its nodes now; it may be taken out temporarily. */
bool plan_slots_is_there(const struct plan_slots *b, const struct plan_slot *h);

/* Call for a job that cannot start now, whatever is free: keeps its slot as it is. False: the slot is no
 * longer possible, or no longer counts. */
bool plan_slots_stay(struct plan_slots *b, struct plan_slot *h);

/* Whether one of its partitions has a slot left. */
bool plan_slots_may_book(const struct plan_slots *b, const struct plan_request *it);

/* It could not start: plans its earliest start in any of its partitions, if one of them has a slot left.
 * True: h says where and when. If another request of the job has a slot, this one replaces it only if it
 * is earlier. */
bool plan_slots_book(struct plan_slots *b, const struct plan_request *it, struct plan_slot *h);

/* Plans exactly this start, for a preemptor. */
void plan_slots_book_preemptor(struct plan_slots *b, const struct plan_request *it, struct plan_slot *h,
                               const struct placement *at);
/* The victims are on their way out: the slot stays, moves earlier or, if it is no longer possible or is not
 * known, is planned at the earliest start, whatever slots its partitions have left. False: there
 * is none. */
bool plan_slots_rebook_preemptor(struct plan_slots *b, const struct plan_request *it, struct plan_slot *h);

/* The earliest start before `before` in any of its partitions, closed ones too, and where. */
bool plan_slots_earliest(struct plan_slots *b, const struct plan_request *it, int64_t before,
                         struct placement *ret);

/* Plans in b what `from` plans in another book over the same nodes; h has no slot yet. own: the reservation
 * in b that it lies in. */
void plan_slots_copy(struct plan_slots *b, struct plan_slot *h, const struct plan_slot *from,
                     struct pool_use *own);

/* How long a start at t runs in that choice, and whether it would then end in time. */
int64_t plan_request_length_at(const struct plan_request *it, uint32_t choice, int64_t t);
bool plan_request_is_in_time(const struct plan_request *it, int64_t t, int64_t len);

/* For callers that search by themselves: suspends the slots of jobs behind the request, which are no
 * obstacle to it, and restores them. Returns whether there are any. */
bool plan_slots_suspend_behind(struct plan_slots *b, const struct plan_request *it);
/* The same for all slots that may ever give way to such a request, wherever their jobs stand. */
bool plan_slots_suspend_all(struct plan_slots *b, const struct plan_request *it);
void plan_slots_restore_behind(struct plan_slots *b);

/* Whether its nodes are usable and nothing else lies there, inside `own` (NULL is fine). */
bool plan_slots_is_use_valid(struct plan_slots *b, struct pool_use *use, struct pool_use *own);

/* It waits without a slot: without backfill, so do all behind it in its partitions. */
void plan_slots_close(struct plan_slots *b, const struct plan_request *it);

/* The job left the queue or is no longer eligible. No-op without a slot. */
void plan_slots_drop(struct plan_slots *b, struct plan_slot *h);

/* The earliest planned start; WHEN_NEVER: none. */
int64_t plan_slots_next(const struct plan_slots *b);

/* Every partition is closed: the rest of the queue need not be tried. */
bool plan_slots_are_closed(const struct plan_slots *b);

#endif
