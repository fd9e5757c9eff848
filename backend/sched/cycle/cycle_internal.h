/* cycle_internal.h - one pass over everybody who waits: what its files share.
 *
 *     rounds: each group's head has its turn, in the order of the queue            cycle_iterations.c,
 * cycle_heap.c gates that count what this pass has started                               cycle_limits.c it
 * starts, holds a place, others go for it, or it waits                   cycle_try.c, cycle_start.c those
 * who have come in alone, where nothing else has happened                 cycle_new.c
 *
 * A pass may go in pieces (planner_cycle_slice). It decides by what was known when it began: no note is
 * taken in before it is through. A job that an event names meanwhile is passed over, and what had been
 * decided about it is dropped at the end; nodes, windows or a configuration that change end the pass.
 */
#ifndef STOKER_BACKEND_SCHED_CYCLE_INTERNAL_H
#define STOKER_BACKEND_SCHED_CYCLE_INTERNAL_H

#include "backend/sched/cycle/cycle.h"
#include "src/base/xalloc.h"

#define SEARCH_AGAIN_MS 50 /* those whose turn to ask others has not come */

struct cycle_item {
    struct job_class *g;
    struct pending_entry *u; /* of newcomers; else it is the head of the group's entry: */
    uint32_t tier_at;
    struct queue_key key;
    bool borrow;
};

struct choice_position { /* of a choice */
    uint32_t at;         /* in the group */
    bool soft;           /* what starts there is borrowed */
};

/* Others are asked to go only for what waits when all else is settled: who can start without that shall. */
enum cycle_stage { CYCLE_PRIORITIES, CYCLE_SETTLES, CYCLE_PREEMPTS, CYCLE_SETTLES_AGAIN, CYCLE_IS_DONE };

enum iteration { ITERATION_NONE, ITERATION_LINES_UP, ITERATION_ITEMS, ITERATION_ENDS };

struct cycle {
    struct planner *p;
    VEC(struct cycle_item) heap;
    struct placement place;
    struct plan_choice *choices;       /* of the item in hand: those that limits leave */
    struct choice_position *positions; /* and which they are */
    size_t n_room;
    enum cycle_stage stage;
    uint32_t iterations; /* of the stage */
    enum iteration iteration;
    struct list *at_class; /* those before this one stand in the row, were asked at the end of the round, or
                              have been told; NULL: all */
    uint64_t freed, mark;  /* as the round began */
    size_t asked;
    /* of the whole decision */
    bool had_iteration;              /* everybody has had a turn */
    size_t sure_starts, sure_places; /* before anybody was asked to go */
    bool made_way; /* in the first round somebody let the job go first that preempted it */
    struct wall now;
    bool all;     /* not only newcomers */
    bool reports; /* all is decided */
    uint32_t report_cost;
    size_t limits_mark; /* before it */
    struct sched_result out;
};

struct rebuild { /* everything is read again, in pieces */
    bool in_pieces;
    int stage;
    size_t at;
    VEC(uint32_t) ids;
    struct list *at_class;
};

struct planner {
    struct queue queue;
    struct preempt preempt;
    struct forecaster forecast;
    struct rebuild rebuild;
    struct sched_result *out;         /* of the pass under way */
    struct cycle *cycle;              /* under way, in pieces; NULL: none */
    uint32_t abandoned;               /* one after the other */
    VEC(uint32_t) tried;              /* jobs looked at one by one in the last pass */
    struct node_free *taken;          /* of each node: what this decision has left */
    int64_t full_cycle_ms;            /* the last pass over all */
    bool reports_left;                /* of not all it was looked at whether their reason is new */
    uint32_t *first_blocked;          /* of each partition: the job whose turn it is there; 0: none */
    struct queue_order *order;        /* queue_order.c; NULL: not worked out */
    struct queue_order *order_making; /* the next one; NULL: none is under way */
};

/* --- planner.c --- */

/* What the cycles keep beside the queue, which is read again. */
void planner_forget_cycle(struct planner *p);
/* --- queue_order.c --- */

void queue_order_free(struct planner *p);
/* Goes on with the order under way for about n places. True: it is through, or of no use any more. */
bool queue_order_make_some(struct planner *p, size_t n);

/* --- rebuild.c: everything from the beginning --- */

void planner_begin_reading(struct planner *p);
void planner_read_all(struct planner *p);        /* what is left of it, at once */
bool planner_has_frame(const struct planner *p); /* nodes, partitions and windows are known */

/* --- planner_sync.c: from the state --- */

bool planner_is_stale(struct planner *p); /* all of it has to be read again */
void planner_read_job(struct planner *p, uint32_t id);
void planner_sync_windows(struct planner *p);
void planner_sync(struct planner *p);

/* --- cycle_reasons.c --- */

/* Fills the result's `changed`: whose reason is another than what was told before. First those that were
 * looked at one by one; then, where all were, those of one group after the other: *looks is what is left to
 * look at. */
void cycle_report_tried(struct planner *p);
void cycle_report_class(struct planner *p, struct job_class *g, uint32_t *cost);
#define REPORT_COST_MAX 8000 /* in one pass: the others are looked at in the next */
/* What was told is not passed on: it is told again. */
void cycle_unreport(struct planner *p);

/* --- cycle_run.c --- */

/* Whether a pass is under way; one that nodes, windows or the configuration have overtaken ends here. */
bool cycle_goes_on(struct planner *p, const struct sched_view *v);

struct cycle *cycle_new(struct planner *p) __attribute__((warn_unused_result));
void cycle_free(struct cycle *s); /* NULL is fine */

/* Goes on until about so many nodes have been looked at: a round is left between two heads only. True: it
 * is through. */
bool cycle_go_on(struct cycle *s, uint64_t cost);

/* --- cycle_heap.c --- */

struct pending_entry *cycle_item_head(const struct job_class *g, uint32_t tier_at);
struct cycle_item cycle_item_of(struct job_class *g, uint32_t tier_at, bool borrow); /* of its head */
void cycle_heap_order(struct cycle *s); /* what was put in at the end, in any order */
struct cycle_item cycle_heap_pop(struct cycle *s);
void cycle_heap_push(struct cycle *s, struct cycle_item t);
/* Makes the next unit that has something left the head; false: there is none. */
bool cycle_heap_advance(struct planner *p, struct job_class *g, uint32_t tier_at);

/* --- cycle_start.c --- */

uint32_t cycle_nth_element(const struct job *j, uint32_t n); /* that waits; ARRAY_NONE */
/* What it takes there: more than it has asked for where it gets whole nodes, or a share of memory. */
struct limit_request cycle_request_at(const struct planner *p, const struct job_class *g,
                                      const struct pending_entry *u, uint32_t choice,
                                      const struct pool_parts *parts, int64_t len);
/* At s->place. It runs as far as this pass is concerned; the next one takes it from the state. */
void cycle_start(struct cycle *s, struct job_class *g, struct pending_entry *u);

/* --- cycle_limits.c --- */

struct cycle_gets { /* what an item may get where it is placed: the ctx of cycle_may_get */
    struct cycle *s;
    struct job_class *g;
    const struct pending_entry *u;
    uint32_t tier_at; /* ALL_TIERS: its partitions of all tiers */
    bool borrow;
    enum limit_state seen; /* the best of what it may not have: places, choices that would be borrowed */
};
bool cycle_may_get(void *ctx, uint32_t choice, const struct pool_parts *parts, int64_t len);

bool cycle_is_throttled(const struct planner *p, const struct pending_entry *u);
/* Gates that the state alone could not answer: what this pass has started counts, and which element it is.
 */
enum reason cycle_eligibility(struct cycle *s, struct pending_entry *u);
void cycle_make_room(struct cycle *s, uint32_t n_choices);
/* The choices of x->entry that limits leave, with what is borrowed where x->borrow says so. None left: the
 * verdict says why, LIMIT_OVER_SOFT: all that is left would be borrowed. */
enum limit_state cycle_leave_choices(struct cycle_gets *x, struct plan_request *ret);
/* The best that limits say of its head, in any partition of that entry. */
enum limit_state cycle_limit_of_class(struct planner *p, struct job_class *g, uint32_t tier_at);
bool cycle_lacks_licences(const struct cycle *s, const struct job_class *g, const struct pending_entry *u);
/* Which gate that counts is closed for one that holds a place. */
enum reason cycle_eligibility_of_booked(struct cycle *s, struct pending_entry *u);
/* What has started behind it may have brought one for whom a place is held to a limit: then it waits for
 * that, and the place is for others. Returns whether there was one. */
bool cycle_drop_ineligible(struct cycle *s);

/* --- cycle_try.c --- */

enum outcome { CLASS_GOES_ON, ENTRY_WAITS, CLASS_WAITS };
enum outcome cycle_try_head(struct cycle *s, struct cycle_item *t);
/* What most groups of a long queue come to, without a look at the job: a limit or a licence keeps it back,
 * or its shapes did not fit in this pass, no place is left to hold for it, and nobody will go for it. Over
 * a soft limit its turn comes once more: *ret_again. */
bool cycle_is_passed_over(struct cycle *s, struct cycle_item *t, bool *ret_again);
bool cycle_class_could_ever(struct planner *p, struct job_class *g);
/* It did not fit, and nothing has come free since that it could use. */
bool cycle_shape_is_unfit(const struct planner *p, struct request_shape *sh);
bool cycle_partition_left(const struct planner *p, const struct plan_choice *v, uint32_t n);
/* The entry of the group as an item: its choices, tier, and when it has to be over. */
struct plan_request cycle_plan_request(const struct job_class *g, uint32_t tier_at);
/* The first that does not fit in each of its partitions is the one whose turn it is. */
enum reason cycle_reason_of_blocked(struct planner *p, const struct job_class *g,
                                    const struct pending_entry *u);

/* --- cycle_new.c --- */

/* Answers those who have come in since the last pass. False: a pass over all must say. */
bool cycle_take_new(struct cycle *s);

#endif
