/* cycle_internal.h - one pass over everybody who waits: what its files share.
 *
 *     rounds: each group's head has its turn, in the order of the queue            cycle_iterations.c,
 * cycle_heap.c gates that count what this pass has started                               cycle_limits.c it
 * starts, holds a place, others go for it, or it waits                   cycle_try.c, cycle_start.c those
 * who have come in alone, where nothing else has happened                 cycle_new.c
 *
 * A pass may go in pieces (planner_decide_some). It decides by what was known when it began: no note is
 * taken in before it is through. A job that an event names meanwhile is passed over, and what had been
 * decided about it is dropped at the end; nodes, windows or a configuration that change end the pass.
 */
#ifndef STOKER_BACKEND_SCHED_CYCLE_INTERNAL_H
#define STOKER_BACKEND_SCHED_CYCLE_INTERNAL_H

#include "backend/sched/cycle/cycle.h"
#include "src/base/xalloc.h"

#define SEARCH_AGAIN_MS 50 /* those whose turn to ask others has not come */

struct turn {
    struct job_class *g;
    struct pending_entry *u; /* of newcomers; else it is the head of the group's entry: */
    uint32_t entry;
    struct rank rank;
    bool borrow;
};

struct position { /* of a choice */
    uint32_t at;  /* in the group */
    bool soft;    /* what starts there is borrowed */
};

/* Others are asked to go only for what waits when all else is settled: who can start without that shall. */
enum pass_stage { PASS_RANKS, PASS_SETTLES, PASS_PREEMPTS, PASS_SETTLES_AGAIN, PASS_IS_DONE };

enum round { ROUND_NONE, ROUND_LINES_UP, ROUND_TURNS, ROUND_ENDS };

struct pass {
    struct planner *p;
    VEC(struct turn) heap;
    struct placement place;
    struct plan_choice *choices; /* of the item in hand: those that limits leave */
    struct position *positions;  /* and which they are */
    size_t n_room;
    enum pass_stage stage;
    uint32_t rounds; /* of the stage */
    enum round round;
    struct list *at_group; /* those before this one stand in the row, were asked at the end of the round, or
                              have been told; NULL: all */
    uint64_t freed, mark;  /* as the round began */
    size_t asked;
    /* of the whole decision */
    bool had_round;                  /* everybody has had a turn */
    size_t sure_starts, sure_places; /* before anybody was asked to go */
    bool made_way; /* in the first round somebody let the job go first that preempted it */
    struct wall now;
    bool all;   /* not only newcomers */
    bool tells; /* all is decided */
    uint32_t tell_looks;
    size_t limits_mark; /* before it */
    struct sched_result out;
};

struct rebuild { /* everything is read again, in pieces */
    bool in_pieces;
    int stage;
    size_t at;
    VEC(uint32_t) ids;
    struct list *at_group;
};

struct planner {
    struct queue queue;
    struct preempt preempt;
    struct forecaster forecast;
    struct rebuild rebuild;
    struct sched_result *out;         /* of the pass under way */
    struct pass *open;                /* under way, in pieces; NULL: none */
    uint32_t abandoned;               /* one after the other */
    VEC(uint32_t) looked;             /* jobs looked at one by one in the last pass */
    struct node_free *taken;          /* of each node: what this decision has left */
    int64_t decided_all;              /* the last pass over all */
    bool tells_left;                  /* of not all it was looked at whether their reason is new */
    uint32_t *first_blocked;          /* of each partition: the job whose turn it is there; 0: none */
    struct queue_order *order;        /* queue_order.c; NULL: not worked out */
    struct queue_order *order_making; /* the next one; NULL: none is under way */
};

/* --- planner.c --- */

/* What the cycles keep beside the queue, which is read again. */
void planner_forget_cycle(struct planner *p);
void why_free_order(struct planner *p);

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
void planner_tell_looked(struct planner *p);
void planner_tell_group(struct planner *p, struct job_class *g, uint32_t *looks);
#define TELL_LOOKS 8000 /* in one pass: the others are looked at in the next */
/* What was told is not passed on: it is told again. */
void planner_untell(struct planner *p);

/* --- cycle.c --- */

/* Whether a pass is under way; one that nodes, windows or the configuration have overtaken ends here. */
bool planner_goes_on(struct planner *p, const struct sched_view *v);

struct pass *pass_new(struct planner *p) __attribute__((warn_unused_result));
void pass_free(struct pass *s); /* NULL is fine */

/* Goes on until about so many nodes have been looked at: a round is left between two heads only. True: it
 * is through. */
bool pass_go_on(struct pass *s, uint64_t looks);

/* --- cycle_heap.c --- */

struct pending_entry *turn_head(const struct job_class *g, uint32_t entry);
struct turn turn_of(struct job_class *g, uint32_t entry, bool borrow); /* of its head */
void turns_order(struct pass *s); /* what was put in at the end, in any order */
struct turn turns_pop(struct pass *s);
void turns_push(struct pass *s, struct turn t);
/* Makes the next unit that has something left the head; false: there is none. */
bool turns_advance(struct planner *p, struct job_class *g, uint32_t entry);

/* --- cycle_start.c --- */

uint32_t pass_nth_element(const struct job *j, uint32_t n); /* that waits; ARRAY_NONE */
/* What it takes there: more than it has asked for where it gets whole nodes, or a share of memory. */
struct limit_ask pass_ask(const struct planner *p, const struct job_class *g, const struct pending_entry *u,
                          uint32_t choice, const struct pool_parts *parts, int64_t len);
/* At s->place. It runs as far as this pass is concerned; the next one takes it from the state. */
void pass_start(struct pass *s, struct job_class *g, struct pending_entry *u);

/* --- cycle_limits.c --- */

struct gets { /* what an item may get where it is placed: the ctx of pass_may_get */
    struct pass *s;
    struct job_class *g;
    const struct pending_entry *u;
    uint32_t entry; /* ALL_ENTRIES: its partitions of all tiers */
    bool borrow;
    enum limit_state seen; /* the best of what it may not have: places, choices that would be borrowed */
};
bool pass_may_get(void *ctx, uint32_t choice, const struct pool_parts *parts, int64_t len);

bool pass_is_throttled(const struct planner *p, const struct pending_entry *u);
/* Gates that the state alone could not answer: what this pass has started counts, and which element it is.
 */
enum reason pass_gate(struct pass *s, struct pending_entry *u);
void pass_make_room(struct pass *s, uint32_t n_choices);
/* The choices of x->entry that limits leave, with what is borrowed where x->borrow says so. None left: the
 * verdict says why, LIMIT_OVER_SOFT: all that is left would be borrowed. */
enum limit_state pass_leave_choices(struct gets *x, struct plan_request *ret);
/* The best that limits say of its head, in any partition of that entry. */
enum limit_state pass_limit_of_group(struct planner *p, struct job_class *g, uint32_t entry);
bool pass_lacks_licences(const struct pass *s, const struct job_class *g, const struct pending_entry *u);
/* Which gate that counts is closed for one that holds a place. */
enum reason pass_gate_of_holder(struct pass *s, struct pending_entry *u);
/* What has started behind it may have brought one for whom a place is held to a limit: then it waits for
 * that, and the place is for others. Returns whether there was one. */
bool pass_give_up_closed(struct pass *s);

/* --- cycle_try.c --- */

enum outcome { GROUP_GOES_ON, UNIT_WAITS, GROUP_WAITS };
enum outcome pass_try_head(struct pass *s, struct turn *t);
/* What most groups of a long queue come to, without a look at the job: a limit or a licence keeps it back,
 * or its shapes did not fit in this pass, no place is left to hold for it, and nobody will go for it. Over
 * a soft limit its turn comes once more: *ret_again. */
bool pass_is_passed_over(struct pass *s, struct turn *t, bool *ret_again);
bool pass_group_could_ever(struct planner *p, struct job_class *g);
/* It did not fit, and nothing has come free since that it could use. */
bool pass_shape_is_dead(const struct planner *p, struct request_shape *sh);
bool pass_has_lane_left(const struct planner *p, const struct plan_choice *v, uint32_t n);
/* The entry of the group as an item: its choices, tier, and when it has to be over. */
struct plan_request pass_item(const struct job_class *g, uint32_t entry);
/* The first that does not fit in each of its partitions is the one whose turn it is. */
enum reason pass_reason_of_blocked(struct planner *p, const struct job_class *g,
                                   const struct pending_entry *u);

/* --- cycle_new.c --- */

/* Answers those who have come in since the last pass. False: a pass over all must say. */
bool pass_take_newcomers(struct pass *s);

#endif
