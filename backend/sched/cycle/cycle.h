/* cycle.h - the planner and its scheduling cycles: which jobs start where, which wait.
 *
 *     struct planner *p = planner_new();
 *     planner_note_job(p, id);            an event named this job (any number of times)
 *     planner_cycle(p, &view, now, &r);   one cycle over what is known now
 *
 * Pure: reads a view and `now`, returns decisions; no I/O, no clock, no randomness, no globals. The
 * controller, the simulator and the tests call the same functions. docs/SCHEDULER.md explains the policy.
 *
 * A planner is a cache: what it decides follows from the view and `now` alone, and a new one decides the
 * same (except for planned starts of an earlier cycle, which are kept and never move later). A cycle looks
 * at job classes, not at jobs; active jobs lie on the pool of nodes until their time limits.
 *
 * Notes only mark; the next cycle does the work. The caller notes every job that an event names (and an
 * element that is split off), and says when nodes, windows or the configuration have changed.
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
/* The job has ended, and is still in the state: how long it ran is learnt, if the configuration says so. */
void planner_note_end(struct planner *p, const struct job *j);
/* The configuration, groups of users, or everything: the next cycle rebuilds the queue. */
void planner_note_all(struct planner *p);
/* Before the configuration changes, with a view of the old one: the rebuild begins, so that what refers to
 * the old one is not used any more. Planned starts that the new one allows stay. */
void planner_leave_config(struct planner *p, const struct sched_view *v);

/* Incremental rebuild for callers with an event loop: call before each cycle until it returns true. Each
 * call does about n units (100 ns each) of reading, and of freeing the old queue. Meanwhile queries are
 * answered from what is known, and jobs keep their reasons. Without it a cycle rebuilds at once. */
bool planner_prepare(struct planner *p, const struct sched_view *v, struct wall now, uint32_t n);
bool planner_is_reading(const struct planner *p);

/* One cycle. ret is initialised by the caller and empty. Cost: O(changes + classes), and for each start or
 * planned start O(nodes of its partitions). */
void planner_cycle(struct planner *p, const struct sched_view *v, struct wall now,
                   struct sched_result *ret);

/* One slice of a cycle, of about that cost (nodes looked at, some 10 ns each): call until it returns true,
 * then ret is filled; `now` is that of the beginning. Meanwhile events may be noted, but no job may leave
 * the state. If nodes, windows or the configuration change, the cycle is abandoned: it returns false, and
 * the next call begins again (after planner_prepare). */
bool planner_cycle_slice(struct planner *p, const struct sched_view *v, struct wall now, uint32_t cost,
                         struct sched_result *ret);
bool planner_is_in_cycle(const struct planner *p); /* and has not returned true yet */

/* One cycle of a planner of its own: for tests and queries. */
void sched_cycle_once(const struct sched_view *v, struct wall now, struct sched_result *ret);

/* --- its parts --- */

struct queue *planner_queue(struct planner *p);
struct preempt *planner_preempt(struct planner *p);
/* For the functions of forecast.h. */
struct forecaster *planner_forecaster(struct planner *p);

/* --- between cycles --- */

/* Brings the planner up to date enough for a query. */
void planner_ready(struct planner *p, const struct sched_view *v, struct wall now);
/* The same for a question about a job that need not be in the queue: the first one with --exclusive=user
 * makes the planner read the queue again. Returns whether it has what the answer needs; a small queue is
 * read at once. */
bool planner_ready_for(struct planner *p, const struct sched_view *v, const struct job *j, struct wall now);
void planner_ready_limits(struct planner *p, const struct sched_view *v, struct wall now); /* after that */

/* How many more elements of the job's array may run now (UINT32_MAX: it has no throttle), and how many run
 * or are promised. */
uint32_t planner_array_left(const struct planner *p, const struct job *j);
uint32_t planner_array_running(const struct planner *p, uint32_t array);
/* Copies the plan slots of `from`, over the same nodes, to p, except for that job. */
void planner_copy_slots(struct planner *p, const struct planner *from, uint32_t but_job);

/* Whether a start now, of a job of that class that is not in the queue, leaves enough of limits and
 * licences for planned starts. If false, g->rest has the verdict and the job with the planned start. */
bool planner_leaves_promises(struct planner *p, struct job_class *g, const struct job *j, uint32_t choice,
                             const struct pool_parts *parts, int64_t len);

/* The first job of a partition that does not fit; 0: none. */
uint32_t planner_first_blocked(const struct planner *p, uint32_t part);

/* Why a waiting job waits, by the last cycle; REASON_NONE: no cycle has looked at it. Cost: O(1). */
enum reason planner_reason(const struct planner *p, uint32_t job);
/* The same, but a job that no cycle has looked at has its own reason, or REASON_PRIORITY. */
enum reason planner_reason_of(const struct planner *p, const struct job *j);
/* Whether it waits for resources or its place in the queue alone, by the reason that was reported. */
bool planner_is_in_line(const struct planner *p, const struct pending_entry *u);
/* Its preemptor, if that one has not started yet and goes first; 0: none. */
uint32_t planner_makes_way_for(const struct planner *p, const struct pending_entry *u);

/* --- queue_order.c: the queue of each partition in its order --- */

struct queue_place {
    struct queue_key key;
    uint32_t job, n, before;    /* n: elements; before: elements in front of it */
    uint64_t gpus, gpus_before; /* that they ask for */
};

struct partition_queue {
    VEC(struct queue_place) v;
    struct idmap at; /* job -> its place in v + 1 */
    uint32_t of;
};

/* A slice of sorting a long queue, from which queries take a job's place: a query begins it, at most every
 * few seconds; n is about the jobs looked at. True: none is under way. Until it is through the order before
 * it answers; without one the place is left out. */
bool queue_order_step(struct planner *p, const struct sched_view *v, struct wall now, uint32_t n);
/* Before queries are answered, between priorities_begin_query and priorities_end_query: begins a new order
 * if the last one is too old. */
void queue_order_begin(struct planner *p, struct wall now);
/* NULL: it is not known yet. */
const struct partition_queue *queue_order_of(const struct planner *p, uint32_t partition);
/* Its queue key in a partition: with the tier and the priority there. */
struct queue_key queue_order_key(const struct planner *p, const struct job_class *g,
                                 const struct pending_entry *u, uint32_t partition);

#endif
