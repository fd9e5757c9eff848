/* explain.h - the planner's answers to people: could it ever run, why does it wait, what is planned, what
 * would become of it.
 */
#ifndef STOKER_BACKEND_SCHED_EXPLAIN_H
#define STOKER_BACKEND_SCHED_EXPLAIN_H

#include "backend/sched/cycle/cycle.h"
#include "src/answers/answer_plan.h"
#include "src/answers/answer_why.h"

/* Would a job ever be admitted and fit, with every node empty and up? Returns REFUSAL_NONE or why not, with
 * its cause. Used at submission: of the job its kind, owner, request and declared steps count, and it need
 * not be queued. */
enum refusal sched_admit(struct planner *p, const struct sched_view *v, const struct job *j,
                         struct cause *why);

/* What is counted, for a job that comes in or has been changed or released: places in the queue of whatever
 * does not count it yet, licences that exist, a reservation that lets it in, and, unless as_is
 * (held, forced), whether it would break a hard limit even alone, in each of its partitions where it could
 * be by what there is, or come too late for its deadline. */
struct sched_admit_how {
    bool as_is;
};
enum refusal sched_admit_counts(struct planner *p, const struct sched_view *v, const struct job *j,
                                struct sched_admit_how how, struct wall now, struct cause *why);

/* The whole answer to why: every cause with numbers, from the last cycle. ret is initialised here;
 * rec_fini(&msg_why_rec, ret). */
void sched_why(struct planner *p, const struct sched_view *v, const struct job *j, struct wall now,
               struct msg_why *ret);

/* The first sentence of that alone, for the rows of a list: sched_waits_begin, sched_wait for each,
 * sched_waits_end; nothing else is asked of the planner in between. ret is initialised here,
 * cause_clear(ret); CAUSE_NONE for a job that does not wait. Cost: O(nodes of its
 * partitions); begin: O(users). */
void sched_waits_begin(struct planner *p, const struct sched_view *v, struct wall now);
void sched_wait(struct planner *p, const struct sched_view *v, const struct job *j, struct wall now,
                struct cause *ret);
void sched_waits_end(struct planner *p);

struct plan_filter {
    struct strv users, partitions; /* empty: all */
    uint32_t rows_max;
    bool waiting; /* only what waits */
};

/* What is in the way now of a job that is not in the queue: nodes that are out or busy, windows. Appends a
 * part to *ret for each. Cost: O(nodes of its partitions). */
void sched_explain_new(struct planner *p, const struct sched_view *v, const struct job *j, struct wall now,
                       struct cause *ret);

/* The plan: windows, what runs, what waits in the order of the queue until rows_max, sorted by start; what
 * runs leaves room for half of them to what waits. ret
 * is initialised here; rec_fini(&msg_plan_rec, ret). Cost: O(running + waiting). */
void planner_report(struct planner *p, const struct sched_view *v, struct wall now,
                    const struct plan_filter *filter, struct msg_plan *ret);
/* The same with probe in place of the waiting job of its id: what a change of its request does to the plan.
 * A small queue is planned again as a whole, from the planned starts of the other jobs; of a large one only
 * the row of that job is another: when it would start behind all that is planned. Cost: one
 * cycle and one forecast of at most REPLAN_MAX jobs and nodes, or that of planner_try. */
void planner_report_with(struct planner *p, const struct sched_view *v, const struct job *probe,
                         struct wall now, const struct plan_filter *filter, struct msg_plan *ret);
/* As a row of the plan says it. */
enum plan_kind forecast_plan_kind(enum forecast_kind k);

struct trial { /* what would become of a job */
    bool now;  /* it fits now and delays no other job */
    struct forecast forecast;
    const char *partition; /* where; the model's; NULL: not known */
    char *nodes;           /* now: compressed; owned */
    uint32_t cpus;
    int64_t len_ms;               /* now: its time limit */
    enum reason reason;           /* not NONE: no partition admits it, or a limit is reached */
    struct limit_verdict verdict; /* where that is a limit */
};

/* Of a job that is not in the queue, as if it came behind all jobs that are; j need not be in the model.
 * Cost: that of its nodes once, and one search; for a small queue without a forecast, one cycle and one
 * forecast. ret: trial_fini. */
void planner_try(struct planner *p, const struct sched_view *v, const struct job *j, struct wall now,
                 struct trial *ret);
void trial_fini(struct trial *t);

#endif
