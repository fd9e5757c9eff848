/* cycle.h - the planner and its scheduling cycles: who starts where, who waits.
 *
 *     struct planner *p = planner_new();
 *     planner_note_job(p, id);            something happened to this job (any number of times)
 *     planner_cycle(p, &view, now, &r);  one pass over what is known now
 *
 * Pure: reads a view and `now`, returns decisions; no I/O, no clock, no randomness, no globals. The
 * controller, the simulator and the tests call the same functions. docs/SCHEDULER.md explains the policy.
 *
 * A planner is a cache: what it decides follows from the view and `now` alone, and a new one decides
 * the same (but for places that it has held since an earlier pass, which it never moves later). It keeps
 * waiting jobs in groups of equal shape and owner, so that a pass looks at groups, not at jobs; running
 * ones lie on the pool of nodes until their time limits.
 *
 * Notes only mark; the work is done in the next pass. Who drives it notes every job that an event names
 * (and an element that is split off), and says when nodes, windows or the configuration have changed.
 */
#ifndef STOKER_BACKEND_SCHED_CYCLE_H
#define STOKER_BACKEND_SCHED_CYCLE_H

#include "backend/sched/forecast/forecast.h"
#include "backend/sched/preempt/preempt.h"
#include "backend/sched/queue/queue.h"

struct planner;

struct planner *planner_new(void) __attribute__((warn_unused_result));
void planner_free(struct planner *p); /* NULL is fine */

void planner_note_job(struct planner *p, uint32_t job);
void planner_note_nodes(struct planner *p);
void planner_note_windows(struct planner *p);
/* The configuration, groups of users, or all there is: everything is read again at the next pass. */
void planner_note_all(struct planner *p);

/* For who serves others meanwhile: before each pass, until it returns true: everything that has to be read
 * from the beginning is read in pieces of so many units of work, about 100 ns each, and what was there is
 * taken apart. Questions are answered in between: from what is known, and the reason of each job is the one
 * it had. Who decides without that has everything read at once. */
bool planner_prepare(struct planner *p, const struct sched_view *v, struct wall now, uint32_t n);
bool planner_is_reading(const struct planner *p);

/* One pass. ret is initialised by the caller and empty. Cost: O(changes + groups that wait), and for each
 * that starts or for which a place is held O(nodes of its partitions). */
void planner_cycle(struct planner *p, const struct sched_view *v, struct wall now,
                   struct sched_result *ret);

/* The same in pieces of about so many looks at nodes (some 10 ns each): again and again until it returns
 * true, then ret is filled; `now` is that of the beginning. Meanwhile events may be noted, but no job
 * leaves the state altogether. A pass that nodes, windows or the configuration overtake ends with nothing:
 * it returns false, and the next call begins anew (planner_prepare before that). */
bool planner_cycle_slice(struct planner *p, const struct sched_view *v, struct wall now, uint32_t cost,
                         struct sched_result *ret);
bool planner_is_in_cycle(const struct planner *p); /* and has not returned true yet */

/* One pass of a planner that is made for it: for tests and questions. */
void sched_cycle_once(const struct sched_view *v, struct wall now, struct sched_result *ret);

/* --- its parts --- */

struct queue *planner_queue(struct planner *p);
struct preempt *planner_preempt(struct planner *p);
/* For forecast_begin, forecast_step and the others of forecast.h. */
struct forecaster *planner_forecaster(struct planner *p);

/* --- between passes --- */

/* Makes sure that the planner knows the state well enough to be asked. */
void planner_ready(struct planner *p, const struct sched_view *v, struct wall now);
void planner_ready_limits(struct planner *p, const struct sched_view *v, struct wall now); /* after that */

/* How many more elements of the job's array may run now (UINT32_MAX: it has no throttle), and how many run
 * or are promised to. */
uint32_t planner_array_left(const struct planner *p, const struct job *j);
uint32_t planner_array_running(const struct planner *p, uint32_t array);
/* What is planned in `from` is planned in p, over the same nodes, but for that job. */
void planner_copy_slots(struct planner *p, const struct planner *from, uint32_t but_job);

/* The job whose turn it is in a partition and that does not fit; 0: none. */
uint32_t planner_first_blocked(const struct planner *p, uint32_t part);

/* Why a waiting job waits, as the last pass saw it: never REASON_NONE once a pass has looked. Cost: O(1).
 */
enum reason planner_reason(const struct planner *p, uint32_t job);
/* The same, and never REASON_NONE: what has come in while a pass or a reading was under way waits for what
 * the job says itself, or for its turn. */
enum reason planner_reason_of(const struct planner *p, const struct job *j);
/* It waits for its turn or for resources, and for nothing else: by the reason that people are told. */
bool planner_is_in_line(const struct planner *p, const struct pending_entry *u);
/* The job that it was preempted for, which has not started yet: it has its turn before. 0: none. */
uint32_t planner_makes_way_for(const struct planner *p, const struct pending_entry *u);

/* --- queue_order.c: the queue of each partition in its order --- */

struct queue_place {
    struct queue_key key;
    uint32_t job, n, before;    /* n: elements; before: of those in front of it */
    uint64_t gpus, gpus_before; /* that they ask for */
};

struct partition_queue {
    VEC(struct queue_place) v;
    struct idmap at; /* job -> its place in v + 1 */
    uint32_t of;
};

/* A slice of the order of a long queue, from which questions take a job's place: a question begins it,
 * at most every few seconds; n is about the jobs looked at. True: none is under way. Until it is through,
 * the order before it answers, and without one the place is left out. */
bool queue_order_step(struct planner *p, const struct sched_view *v, struct wall now, uint32_t n);
/* Before questions are answered, between priorities_begin_query and priorities_end_query: the order of the
 * queue is of now, or with a long queue of lately. */
void queue_order_begin(struct planner *p, struct wall now);
/* NULL: it is not known yet. */
const struct partition_queue *queue_order_of(const struct planner *p, uint32_t partition);
/* In the queue of that partition: with its tier and the priority there. */
struct queue_key queue_order_key(const struct planner *p, const struct job_class *g,
                                 const struct pending_entry *u, uint32_t partition);

#endif
