/* why_internal.h - what the files share that answer why a job waits. */
#ifndef STOKER_BACKEND_SCHED_WHY_INTERNAL_H
#define STOKER_BACKEND_SCHED_WHY_INTERNAL_H

#include "backend/sched/explain/explain.h"

struct question {
    struct planner *p;
    struct queue *queue; /* its */
    const struct sched_view *v;
    const struct job *j;
    const struct step *step; /* whose tasks wait; NULL: the job itself */
    struct pending_entry *u; /* NULL: it is not in the queue */
    struct wall now;
    int64_t
        from; /* the earliest start that is considered: now, or when it is expected to become eligible */
    struct msg_why *w;
    bool brief; /* the first sentence is wanted: what costs more is left out */
    bool never; /* it cannot start unless something is changed */
};

/* --- replan.c --- */

#define REPLAN_MAX 1500 /* jobs and nodes of which a cycle is worth an answer: some milliseconds */
bool replan_is_cheap(struct planner *p);
/* A planner of its own after a cycle over the queue as it is, with probe in place of the job of its id:
 * what that held goes to others, and its turn may be another. probe must last as long. ret is initialised
 * here. Caller frees both. */
struct planner *replan_cycle(struct planner *p, const struct sched_view *v, const struct job *probe,
                             struct wall now, struct sched_result *ret);

/* A planner of its own after a cycle over the queue as it is, with forecasts, for an answer about a job
 * that is not in the queue. Caller frees. */
struct planner *replan_with_forecasts(struct planner *p, const struct sched_view *v, const struct job *j,
                                      struct wall now);

/* --- trial.c --- */

/* As planner_try, but only by a plan that there is. False: not all that runs is known. */
bool trial_by_last_plan(struct planner *p, const struct sched_view *v, const struct job *j, struct wall now,
                        struct trial *ret);

/* --- report.c --- */

void report_sort(struct msg_plan *plan); /* by start */

/* --- why_causes.c --- */

struct cause *why_add(struct msg_why *w, enum why_class cls, enum cause_code code);
/* Takes *c over. */
struct cause *why_add_take(struct msg_why *w, enum why_class cls, struct cause *c);
bool why_names_limit(const struct msg_why *w); /* a limit is among the causes */

/* --- queue_why.c --- */

/* Those ahead of it in a partition; the rank in the first one that is asked about. */
void why_behind(const struct question *q, uint32_t partition);

/* --- place_why.c: what it has itself is set aside --- */

/* What is in its way in the partition of that choice; nothing if it fits. */
void why_no_place(const struct question *q, const struct plan_choice *c);
/* In none of its partitions it would end in time if it started now. */
bool why_all_late(const struct question *q);
/* Of a step job that runs, and its waiting step: adds the nodes that are out or refuse its user, where only
 * these keep its next task. */
void why_task_is_out(const struct question *q, uint32_t partition, struct cause *to);
/* What no node there will ever have. */
void why_never(const struct question *q, const struct plan_choice *c);

/* --- once_eligible_why.c: of a job that is not eligible --- */

/* Appends what no node of its partitions will ever have, and what would be in its way at the time when it
 * is expected to become eligible. Sets q->never. Cost: as for why_no_place. */
void why_once_eligible(struct question *q);

/* --- clears_why.c --- */

/* When the first of these is within limits, if what counts runs to its time limit; unset: not known. Cost:
 * O(n log n) of what runs, where anything is limited. */
struct wall why_limit_clears(const struct question *q, const struct limit_request *requests, uint32_t n);
/* When its array may run another. */
struct wall why_throttle_clears(const struct question *q);
/* The causes that the rules of eligibility gave; those that are about its turn, by its forecast. */
void why_date_eligibility(const struct question *q);
void why_date_turn(const struct question *q);

/* --- where_why.c: what it has itself is set aside --- */

/* What is on the nodes where it is expected to start. q->w->start is known by then, or unset. Cost:
 * O(active jobs), and a search where no start is planned. */
void why_where(const struct question *q);

/* --- report.c --- */

/* The row of a job in a plan; its nodes and times are the caller's. ret is initialised here. */
void report_fill_row(struct planner *p, enum plan_kind kind, const struct job *j, struct plan_row *ret);

/* --- eligibility_why.c --- */

/* Whether its next start would break a hard limit, and the request of that start: in the first of its
 * partitions that admits the job and is open to it, else in the first. */
bool eligibility_breaks_limits(const struct sched_view *v, const struct job *j, struct limit_request *ret);
/* Appends a cause to w for each of these that is closed, by itself and with its numbers; none where all are
 * open. */
void eligibility_explain(const struct sched_view *v, const struct job *j, struct wall now,
                         struct msg_why *w);

#endif
