/* cycle_internal.h - what the files of the cycle share.
 *
 *     cycle_run.c           one cycle, from the notes to the report
 *     cycle_new.c           fast path for new jobs, if nothing else has happened
 *     cycle_iterations.c    each class's head has its turn, in the order of cycle_heap.c
 *     cycle_row.c           classes that an iteration has passed over, for the next one
 *     cycle_row_keep.c      and for the next cycle
 *     cycle_limits.c        checks that count what this cycle has started
 *     cycle_promise.c       limits and licences at the times of planned starts
 *     cycle_expected.c      run times that are expected: the order of backfill candidates, and starts
 *     cycle_try.c           the head starts (cycle_start.c), gets a planned start, preempts, or waits
 *
 * A cycle may be sliced (planner_cycle_slice). It decides by what was known when it began and takes in no
 * note before it ends. A job that an event names meanwhile is skipped, and what was decided about it is
 * dropped at the end; a change of nodes, windows or configuration ends the cycle.
 */
#ifndef STOKER_BACKEND_SCHED_CYCLE_INTERNAL_H
#define STOKER_BACKEND_SCHED_CYCLE_INTERNAL_H

#include "backend/sched/cycle/cycle.h"
#include "src/base/xalloc.h"

#define SEARCH_AGAIN_MS 50 /* until jobs without a preemption search get theirs */

struct cycle_item {
    struct job_class *g;
    struct pending_entry *u; /* of new jobs; else it is the head of the class in: */
    uint32_t tier_at;
    struct queue_key key;
    bool borrow;
    bool is_candidate; /* its turn was put off: backfill candidates come by length */
};

/* Why a class is passed over. */
enum passed {
    NOT_PASSED,
    PASSED_AGAIN,     /* its head comes again, borrowing, behind all others */
    PASSED_BY_LIMIT,  /* a limit or a licence */
    PASSED_AS_UNFIT,  /* whether a search for victims would be futile has not been judged */
    PASSED_AS_FUTILE, /* it would be */
};

#define PASSED_PARTITIONS 4          /* a class that names more is lined up each time */
#define MARK_NONE         UINT64_MAX /* it is examined in any case */
struct passed_item {
    struct queue_key key;
    struct job_class *g;
    uint64_t mark;                 /* of the freed log, when it was examined; or: */
    uint64_t limits_mark;          /* limits_changes, when limits were asked */
    struct kept_priority priority; /* if keeps_priority */
    struct limit_request request;  /* of the first choice */
    uint16_t partitions[PASSED_PARTITIONS];
    uint32_t least_cpus, least_gpus; /* what a node must have free for any of these choices */
    int64_t least_mem_mib;
    uint32_t number;      /* of its class, which may have gone */
    uint8_t n_partitions; /* of its choices */
    uint8_t tier_at;
    uint8_t why; /* enum passed */
    bool borrow;
    bool licensed;
    bool keeps_priority;
    bool of_several; /* its class may have more items */
};

struct row_part {
    VEC(struct passed_item) passed; /* in the order of the queue */
    VEC(uint32_t) others;           /* numbers of classes of which something was tried: lined up again */
};

struct freed_in_partition {
    uint64_t stamp; /* known while it is that of: */
    struct amount free, most;
    bool any;
};

struct row_freed { /* what has come free since `from`, as of `to` */
    uint64_t from, to, stamp;
    struct freed_in_partition *in; /* each partition */
};

enum row_gain { GAINS_NOTHING, GAINS_TOO_LITTLE, MAY_FIT }; /* of what came free */

struct row_mark { /* iterations in which a class was */
    uint64_t lined_up_in, taken_in;
};

struct cycle_row { /* cycle_row.c */
    struct row_part now, next;
    size_t at, other_at;      /* in now */
    size_t placed;            /* items of now that have their keys of this cycle */
    bool known, complete;     /* now and next have all classes */
    bool checks, checks_next; /* this iteration, and the next one, ask about limits */
    uint64_t version;         /* priorities.version, for which the items are valid */
    struct row_freed freed;
    VEC(struct row_mark) marks; /* by the number of the class */
    VEC(uint32_t) touched;      /* classes whose reason may have changed since it was reported */
};

struct choice_position { /* of a choice */
    uint32_t at;         /* in the class */
    bool soft;           /* what starts there is borrowed */
};

/* Jobs are preempted only for jobs that still wait when all others are settled. */
enum cycle_stage { CYCLE_PRIORITIES, CYCLE_SETTLES, CYCLE_PREEMPTS, CYCLE_SETTLES_AGAIN, CYCLE_IS_DONE };

enum iteration { ITERATION_NONE, ITERATION_LINES_UP, ITERATION_ITEMS, ITERATION_CHECKS, ITERATION_ENDS };

struct cycle {
    struct planner *p;
    VEC(struct cycle_item) heap;
    struct placement place;
    struct plan_choice *choices;       /* of the item being tried: those that limits allow */
    struct choice_position *positions; /* and which they are */
    size_t n_room;
    enum cycle_stage stage;
    uint32_t iterations; /* of the stage */
    enum iteration iteration;
    struct list *at_class; /* classes before this one are in the heap, were checked at the end of the
                               iteration, or have been reported; NULL: all */
    size_t at_passed;      /* the same of the row: items of the next one that were checked; SIZE_MAX: all */
    struct list *at_slot;  /* planned starts before this one were checked at the end of the iteration */
    uint64_t freed, mark;  /* as the iteration began */
    size_t asked;
    /* of the whole decision */
    bool has_begun;                  /* its first iteration */
    bool had_iteration;              /* all jobs has had a turn */
    size_t sure_starts, sure_places; /* before anybody was preempted */
    bool made_way;                   /* in the first iteration a job let its preemptor go first */
    struct wall now;
    bool all;             /* not only new jobs */
    bool reports;         /* all is decided */
    bool without_windows; /* maintenance is out of the pool, while reasons are reported */
    size_t at_tried;      /* jobs that were tried and have been reported */
    size_t at_touched;    /* classes that have been reported */
    uint32_t report_cost;
    size_t limits_mark; /* before it */
    struct sched_result out;
};

struct rebuild { /* a rebuild of the queue, in pieces */
    bool in_pieces;
    int stage;
    size_t at;
    VEC(uint32_t) ids;
    struct list *at_class;
};

struct cycle_pace {        /* how the cycles follow one another */
    int64_t full_cycle_ms; /* the last cycle over all */
    uint32_t abandoned;    /* one after the other */
    bool reports_left;     /* changed reasons have not all been reported */
};

struct licensed_plans {
    VEC(uint32_t) jobs; /* with licences and planned starts in the last iteration, or did have one */
    struct limit_judgement known; /* whether these fit */
};

struct planner {
    struct queue queue;
    struct preempt preempt;
    struct forecaster forecast;
    struct rebuild rebuild;
    struct sched_result *out; /* of the cycle under way */
    struct cycle *cycle;      /* under way, in slices; NULL: none */
    struct cycle_row row;
    VEC(uint32_t) tried; /* jobs tried themselves in the last iteration */
    struct licensed_plans licensed;
    struct node_free *taken; /* of each node: what this cycle has left */
    struct cycle_pace pace;
    uint32_t *first_blocked;          /* of each partition: its first job that does not fit; 0: none */
    struct queue_order *order;        /* of queue_order.c; NULL: none */
    struct queue_order *order_making; /* the next one; NULL: none is under way */
};

/* --- planner.c --- */

/* Drops what the cycles keep beside the queue, for a rebuild. */
void planner_forget_cycle(struct planner *p);
/* --- queue_order.c --- */

void queue_order_free(struct planner *p);
/* Goes on with the order under way for about n places. True: it is through, or of no use any more. */
bool queue_order_make_some(struct planner *p, size_t n);

/* --- rebuild.c --- */

void planner_begin_reading(struct planner *p);
void planner_read_all(struct planner *p);        /* what is left of it, at once */
bool planner_has_frame(const struct planner *p); /* nodes, partitions and windows are known */

/* --- planner_sync.c --- */

bool planner_is_stale(struct planner *p); /* whether the queue has to be rebuilt */
/* Notes everything if a noted job is the first one that keeps its nodes for its user. */
void planner_learn_users(struct planner *p);
/* The same of one job. Returns whether the queue is to be read again for it. */
bool planner_needs_users(struct planner *p, const struct job *j);
void planner_read_job(struct planner *p, uint32_t id);
void planner_sync_windows(struct planner *p);
void planner_sync(struct planner *p);

/* --- cycle_reasons.c --- */

/* Fills the result's `changed`: jobs whose reason is not the one that was reported. First the jobs that
 * were tried themselves, one after the other from *at = 0 until it returns false; after a full cycle also
 * the classes: *cost is what is left. */
bool cycle_report_tried(struct planner *p, size_t *at);
void cycle_report_class(struct planner *p, struct job_class *g, uint32_t *cost);
/* After some of these, before anything else reads the pool. */
void cycle_report_pause(struct planner *p);
#define REPORT_COST_MAX 8000 /* of one cycle: the rest is reported in the next */
/* What was reported is not passed on: it is reported again. */
void cycle_unreport(struct planner *p);

/* --- cycle_run.c --- */

/* Whether a cycle is under way; one that nodes, windows or the configuration invalidate ends here. */
bool cycle_goes_on(struct planner *p, const struct sched_view *v);

struct cycle *cycle_new(struct planner *p) __attribute__((warn_unused_result));
void cycle_free(struct cycle *s); /* NULL is fine */

/* Goes on for about that cost, to an end between two items. True: the cycle is through. */
bool cycle_go_on(struct cycle *s, uint64_t cost);

/* --- cycle_heap.c --- */

struct pending_entry *cycle_item_head(const struct job_class *g, uint32_t tier_at);
struct cycle_item cycle_item_of(struct job_class *g, uint32_t tier_at, bool borrow); /* of its head */
void cycle_heap_order(struct cycle *s); /* of items that were appended in any order */
struct cycle_item cycle_heap_pop(struct cycle *s);
void cycle_heap_push(struct cycle *s, struct cycle_item t);
/* Makes the next entry with anything left the head; false: there is none. */
bool cycle_heap_advance(struct planner *p, struct job_class *g, uint32_t tier_at);

/* --- cycle_row.c --- */

/* For an iteration: what the last one has noted. */
void cycle_row_begin(struct cycle *s);
/* Everything may fit again: the next iteration lines up all classes. */
void cycle_row_forget(struct planner *p);
/* Limits may allow more: the next iteration asks them again. */
void cycle_row_check_limits(struct planner *p);
struct job_class *cycle_row_next_other(struct cycle *s); /* to be lined up; NULL: there is none */
void cycle_row_add_other(struct cycle *s, struct job_class *g);
void cycle_row_add_passed(struct cycle *s, const struct cycle_item *t, enum passed why);
struct passed_item *cycle_row_peek(struct cycle *s);          /* the next one; NULL: there is none */
bool cycle_row_holds(struct cycle *s, struct passed_item *x); /* it is passed over again */
void cycle_row_keep(struct cycle *s);                         /* the next one, in the row */
struct cycle_item cycle_row_take(struct cycle *s);            /* the next one, to be examined */
/* Whether what came free since it was examined may be of use to it. */
enum row_gain cycle_row_gain(struct planner *p, struct passed_item *x);
/* It has been examined: no node that came free takes it. */
void cycle_row_gained_nothing(const struct planner *p, struct passed_item *x);

/* --- cycle_row_keep.c --- */

void cycle_row_init(struct planner *p); /* for a queue with its partitions */
void cycle_row_reset(struct planner *p);
void cycle_row_fini(struct planner *p);
/* The row of the last cycle becomes that of this one: classes that have changed leave it. */
void cycle_row_resume(struct cycle *s);
/* Gives some items their keys of this cycle, and orders them in the end. False: all have them. */
bool cycle_row_place_some(struct cycle *s);
/* The reason of the class may change in this cycle: it is reported then. */
void cycle_row_touch(struct cycle *s, struct job_class *g);
/* Before they are reported: in the order of classes.list, without those that have gone. */
void cycle_row_order_touched(struct planner *p);
/* After that: those with another reason than was reported stay. */
void cycle_row_forget_reported(struct planner *p);

/* --- cycle_start.c --- */

uint32_t cycle_nth_element(const struct job *j, uint32_t n); /* that waits; ARRAY_NONE */
/* What it gets there: more than it asks for if it gets whole nodes or a share of memory. */
struct limit_request cycle_request_at(const struct planner *p, const struct job_class *g,
                                      const struct pending_entry *u, uint32_t choice,
                                      const struct pool_parts *parts, int64_t len);
/* Starts it at s->place as far as this cycle is concerned; the next one reads it from the state. */
void cycle_start(struct cycle *s, struct job_class *g, struct pending_entry *u);

/* --- cycle_limits.c --- */

struct cycle_gets { /* the ctx of cycle_may_get: for which item limits are checked */
    struct cycle *s;
    struct job_class *g;
    const struct pending_entry *u;
    uint32_t tier_at; /* ALL_TIERS: its partitions of all tiers */
    bool borrow;
    enum limit_state seen; /* the best state among refused placements and choices */
};
bool cycle_may_get(void *ctx, uint32_t choice, const struct pool_parts *parts, int64_t len);

bool cycle_is_throttled(const struct planner *p, const struct pending_entry *u);
/* Eligibility that depends on what this cycle has started, and on the element. */
enum reason cycle_eligibility(struct cycle *s, struct pending_entry *u);
void cycle_make_room(struct cycle *s, uint32_t n_choices);
/* Fills in the choices of x->tier_at that limits allow, with borrowed ones if x->borrow. None: the verdict
 * says why; LIMIT_OVER_SOFT: all that are left would be borrowed. */
enum limit_state cycle_leave_choices(struct cycle_gets *x, struct plan_request *ret);
/* The best verdict of limits on its head, in any partition of that tier. */
enum limit_state cycle_limit_of_class(struct planner *p, struct job_class *g, uint32_t tier_at);
bool cycle_lacks_licences(const struct cycle *s, const struct job_class *g, const struct pending_entry *u);
/* Why an entry with a planned start is no longer eligible; REASON_NONE: it is. */
enum reason cycle_eligibility_of_booked(struct cycle *s, struct pending_entry *u);
/* A start may have brought an entry with a planned start to a limit: it drops its slot and waits for the
 * limit. Returns whether it did. */
bool cycle_drop_ineligible(struct cycle *s, struct plan_slot *h);

/* --- cycle_promise.c --- */

void cycle_promises_begin(struct planner *p); /* at the beginning of an iteration */
/* Call when an entry has got a planned start. */
void cycle_promise_note(struct planner *p, const struct pending_entry *u);
/* Call when its planned start may have moved to another partition. */
void cycle_promise_move(struct planner *p, const struct pending_entry *u);
/* As plan_request.leaves, with a struct cycle_gets. Only for jobs with limits or licences. */
bool cycle_leaves_promises(void *ctx, uint32_t choice, const struct pool_parts *parts, int64_t start,
                           int64_t len);
/* Whether limits and licences allow its planned start at that time, beside all other planned starts, or
 * only beside those of the jobs before it. */
bool cycle_promise_stands(struct cycle *s, const struct pending_entry *u, bool before_it);

/* Exactly, beside all other planned starts: after one has moved later. */
bool cycle_promise_holds(struct cycle *s, const struct pending_entry *u);

/* --- cycle_expected.c --- */

/* Its turn comes behind the others of its tier, by length: it can only be backfilled. */
bool cycle_is_candidate(struct cycle *s, const struct cycle_item *t, const struct pending_entry *u);
struct cycle_item cycle_candidate_of(struct cycle *s, const struct cycle_item *t, struct pending_entry *u);
/* It does not fit by its limit: starts it if it is expected to have gone before it is in the way, and no
 * promise is broken if it has not. s->place says where. */
bool cycle_start_expected(struct cycle *s, const struct cycle_item *t, struct pending_entry *u,
                          const struct plan_request *it);
/* Whether such a start may be possible. */
bool cycle_is_expected_earlier(struct planner *p, const struct job_class *g, struct pending_entry *u);
/* A job of this shape that ends soon would fit: the shape is not unfit. */
bool cycle_fits_briefly(struct planner *p, const struct plan_request *it);

/* --- cycle_try.c --- */

#define CHECK_COST 20 /* of limits, in nodes looked at */
void cycle_try_set_rest(struct job_class *g, uint32_t tier_at, enum reason why);

enum outcome { CLASS_GOES_ON, ENTRY_WAITS, CLASS_WAITS };
enum outcome cycle_try_head(struct cycle *s, struct cycle_item *t);
/* What most classes of a long queue come to, without examining the job: a limit or a licence keeps it back,
 * or its shapes are unfit, no slot is left, and a search is futile. */
enum passed cycle_pass_over(struct cycle *s, struct cycle_item *t);
bool cycle_class_could_ever(struct planner *p, struct job_class *g);
/* It did not fit, and nothing came free since that it could use. */
bool cycle_shape_is_unfit(const struct planner *p, struct request_shape *sh);
bool cycle_partition_left(const struct planner *p, const struct plan_choice *v, uint32_t n);
/* The request of a class in a tier. */
struct plan_request cycle_plan_request(const struct job_class *g, uint32_t tier_at);
/* Why an entry that does not fit waits: REASON_RESOURCES if it is the first in one of its partitions. */
enum reason cycle_reason_of_blocked(struct planner *p, const struct job_class *g,
                                    const struct pending_entry *u);

/* --- cycle_new.c --- */

/* Decides about new jobs alone. False: it takes a full cycle. */
bool cycle_take_new(struct cycle *s);

#endif
