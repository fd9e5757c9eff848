/* plan_slots.h - one pass over the waiting, in the order of their priority: who starts now, for whom a
 * place is held, who waits.
 *
 *     for each item in order:
 *         fits now, hurting no hold            -> it starts
 *         else its lane has reservations left  -> a place is held at its earliest start
 *         else                                 -> it waits; without backfill all behind it in its lane do
 *
 * An item that may go to partitions of different tiers has one turn for each tier: an entry of its own,
 * with the choices of that tier. It holds one place, which belongs to the entry that found it. Places of a
 * lower tier never stand in the way of an item of a higher one, whatever that one may hold itself.
 *
 * A lane is a partition: reservations are counted for each. With `keep` a hold stays from pass to pass and
 * is only ever moved earlier (compression: each waiting one is taken out and put back, in order), until
 * somebody who stands before it and holds nothing yet needs the place; without it every pass plans anew.
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
    uint32_t depth; /* reservations in each lane */
    bool backfill;  /* false: strictly in order */
    bool keep;
};

/* One way to run: in one of the partitions that it may go to. */
struct plan_choice {
    uint32_t partition;
    const struct demand *demand;
    const struct nodeset *set;
    int64_t len;          /* ms: its time limit there */
    int64_t len_min;      /* ms: with --time-min it may be cut down to this to start now; else len */
    struct pool_use *own; /* a hold that is there for it: its reservation; NULL: none */
};

struct plan_request {
    const struct plan_choice *choices; /* in the order of preference */
    uint32_t n_choices;
    uint32_t tier_at;  /* which of its turns this is */
    uint32_t tier;     /* of all of these choices */
    int64_t deadline;  /* must have ended by then; WHEN_NEVER */
    int64_t ends;      /* is over by then, whatever its length: what it belongs to ends; 0: nothing does */
    bool by_preemptor; /* its victims have gone: one that waits before it does not close its lanes to it */
    /* Whether it may have that much there; NULL: whatever is free. */
    bool (*allows)(void *ctx, uint32_t choice, const struct pool_parts *parts, int64_t len);
    void *ctx;
};

/* The place held for a waiting item: embedded in what waits. Zeroed: none. */
struct plan_slot {
    struct pool_use use;
    uint32_t partition;     /* where it is held */
    uint32_t tier_at, tier; /* of the item that found it */
    uint32_t counts;        /* in which lane it counts */
    bool by_preemption;     /* by preemption: counts against no lane */
    uint64_t visited;       /* the pass that looked at it last */
    uint64_t mark;          /* of the gains, when it was looked at */
    bool suspended;         /* lifted for a moment, for somebody before it */
    bool limited;           /* elsewhere it would have got more than it may: it may be another time */
    struct pool_use *own;   /* of the choice: it lies within this one */
    uint64_t lost;          /* the pass in which it was given up for somebody before it */
    struct list link;       /* in the backfill's list while it holds something */
};

struct placement { /* of an item that starts now, or whose start is planned */
    uint32_t choice;
    int64_t start, len;
    struct pool_parts parts; /* the caller's: used again and again; placement_fini */
};
void placement_fini(struct placement *p);

struct plan_partition {
    uint32_t n_held;
    bool closed; /* takes nothing more in this pass */
};

struct plan_slots {
    struct pool *pool;
    struct plan_opts opts;
    struct plan_partition *partitions;
    uint32_t n_partitions;
    struct list list;
    uint64_t iteration;
    bool gained;                /* something has come free since the last pass: holds may move earlier */
    bool invalidated;           /* something was lost as well: a node, or a running job goes on longer */
    uint64_t n_dropped;         /* grows when a hold is given up: what did not fit may fit now */
    bool again;                 /* in this pass a turn that was over would come out otherwise now */
    VEC(uint32_t) freed_log;    /* nodes on which something has come free, as it happened */
    uint64_t freed_forgotten;   /* that stood before those */
    struct plan_choice *narrow; /* room for an item's choices, cut down to the nodes of the gains */
    struct nodeset *narrow_sets;
    uint32_t n_narrow;
};

void plan_slots_init(struct plan_slots *b, struct pool *p, const struct plan_opts *o,
                     uint32_t n_partitions);
/* Gives up all holds; their owners' structs are zeroed. */
void plan_slots_fini(struct plan_slots *b);

/* Begins a pass at the pool's time. gained: since the last one something ended earlier than planned, a node
 * came back, an item left the queue. */
void plan_slots_begin(struct plan_slots *b, bool gained);
/* After that: a node went, or something runs longer than thought. Holds that can no longer be had are
 * placed anew in this pass. */
void plan_slots_invalidate(struct plan_slots *b);

/* Something has come free on a node: says the same as `gained`, of this node alone. */
void plan_slots_note_freed(struct plan_slots *b, uint32_t node);
void plan_slots_note_freed_all(struct plan_slots *b, const struct pool_use *u); /* on all of its nodes */
/* Where the gains stand now, and whether something has come free since that this demand could use now
 * (NULL: that lies in the set). Cost: O(gains since). */
uint64_t plan_slots_freed_mark(const struct plan_slots *b);
bool plan_slots_freed_since(const struct plan_slots *b, uint64_t mark, const struct demand *d,
                            const struct nodeset *s);

/* Can it start now? True: ret says where; the caller charges the pool (pool_run). An item that holds a
 * place, in this entry or another, lets it go when it starts. */
bool plan_slots_start(struct plan_slots *b, const struct plan_request *it, struct plan_slot *h,
                      struct placement *ret);

/* The same for one that is not in the queue: it comes behind everybody, no hold gives way to it. */
bool plan_slots_start_beside(struct plan_slots *b, const struct plan_request *it, struct placement *ret);

/* Who says whether it may have what a place of that choice comes to. */
struct pool_judge plan_request_judge(const struct plan_request *it, uint32_t choice);

/* Whether one of its lanes has a place left. */
bool plan_slots_may_book(const struct plan_slots *b, const struct plan_request *it);

/* It could not start: holds a place where one of its lanes has any left: at the earliest start in any of
 * them, also in one that has none left. True: h says where and when. Where another entry holds one: only if
 * this is earlier, in its stead. */
bool plan_slots_book(struct plan_slots *b, const struct plan_request *it, struct plan_slot *h);

/* Holds just this place, from at->start on: for whom others have been asked to go. */
void plan_slots_book_preemptor(struct plan_slots *b, const struct plan_request *it, struct plan_slot *h,
                               const struct placement *at);
/* They are on their way out: its claim stays, is moved earlier or, where it can no longer be had (or has
 * been forgotten), made at the earliest start whatever its lanes have left. False: there is none. */
bool plan_slots_rebook_preemptor(struct plan_slots *b, const struct plan_request *it, struct plan_slot *h);

/* The earliest start in any of its lanes, closed ones too, before `before`: where. */
bool plan_slots_earliest(struct plan_slots *b, const struct plan_request *it, int64_t before,
                         struct placement *ret);

/* Holds in b what `from` holds in another one over the same nodes, for the same; h holds nothing yet. own:
 * the reservation there that it lies within. */
void plan_slots_copy(struct plan_slots *b, struct plan_slot *h, const struct plan_slot *from,
                     struct pool_use *own);

/* How long a start at t goes on, in that choice; and whether it would then end in time. */
int64_t plan_request_length_at(const struct plan_request *it, uint32_t choice, int64_t t);
bool plan_request_is_in_time(const struct plan_request *it, int64_t t, int64_t len);

/* For who looks by himself: takes out the holds of those behind the item, which are no obstacle to it, and
 * puts them back. Returns whether there are any. */
bool plan_slots_suspend_behind(struct plan_slots *b, const struct plan_request *it);
void plan_slots_restore_behind(struct plan_slots *b);

/* Whether its nodes are there and nothing else lies where it is held, within `own` (NULL is fine). */
bool plan_slots_is_use_valid(struct plan_slots *b, struct pool_use *use, struct pool_use *own);

/* It waits without a hold of its own: without backfill all behind it in its lanes do. */
void plan_slots_close(struct plan_slots *b, const struct plan_request *it);

/* It is not looked at any more: it left the queue, or a gate closed. No-op without a hold. */
void plan_slots_drop(struct plan_slots *b, struct plan_slot *h);

/* The earliest start that is held; WHEN_NEVER: none. */
int64_t plan_slots_next(const struct plan_slots *b);

/* Every lane is closed: no need to look further. */
bool plan_slots_are_closed(const struct plan_slots *b);

#endif
