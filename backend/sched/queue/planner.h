/* planner.h - the state as the policy needs it, kept up to date from pass to pass.
 *
 *     struct planner *p = planner_new();
 *     planner_note_job(p, id);            something happened to this job (any number of times)
 *     planner_decide(p, &view, now, &r);  one pass over what is known now
 *
 * A planner is a cache: what it decides follows from the view and `now` alone, and one made anew decides
 * the same (but for places that it has held since an earlier pass, which it never moves later). It keeps
 * waiting jobs in groups of equal shape and owner, so that a pass looks at groups, not at jobs; running
 * ones lie on the pool of nodes until their time limits.
 *
 * Notes only mark; the work is done in the next pass. Who drives it notes every job that an event names
 * (and an element that is split off), and says when nodes, windows or the configuration have changed.
 */
#ifndef STOKER_BACKEND_SCHED_PLANNER_H
#define STOKER_BACKEND_SCHED_PLANNER_H

#include "backend/sched/queue/sched.h"
#include "src/answers/answer_plan.h"

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
void planner_decide(struct planner *p, const struct sched_view *v, struct wall now,
                    struct sched_result *ret);

/* The same in pieces of about so many looks at nodes (some 10 ns each): again and again until it returns
 * true, then ret is filled; `now` is that of the beginning. Meanwhile events may be noted, but no job
 * leaves the state altogether. A pass that nodes, windows or the configuration overtake ends with nothing:
 * it returns false, and the next call begins anew (planner_prepare before that). */
bool planner_decide_some(struct planner *p, const struct sched_view *v, struct wall now, uint32_t looks,
                         struct sched_result *ret);
bool planner_is_deciding(const struct planner *p); /* and has not returned true yet */

/* Would a request ever be admitted and fit, with every node empty and up? Returns REFUSAL_NONE or why not,
 * with the numbers in text. Used at submission. steps: the declared steps of a step job, else NULL. */
enum refusal sched_admit(struct planner *p, const struct sched_view *v, uint32_t uid,
                         const struct job_req *req, const struct step *steps, size_t n_steps,
                         struct errtext *text);

/* What is counted, for a job that comes in or has been changed or released: places in the queue of whatever
 * does not count it yet, licences that exist, a reservation that lets it in, and, unless as_is
 * (held, forced), whether it would break a hard limit even alone, in each of its partitions where it could
 * be by what there is, or come too late for its deadline. */
struct sched_admit_how {
    bool as_is;
};
enum refusal sched_admit_counts(struct planner *p, const struct sched_view *v, const struct job *j,
                                struct sched_admit_how how, struct wall now, struct errtext *text);

/* The whole answer to why: every cause with numbers, from the last pass. ret is initialised here;
 * rec_fini(&msg_why_rec, ret). */
void sched_why(struct planner *p, const struct sched_view *v, const struct job *j, struct wall now,
               struct msg_why *ret);

/* A slice of the order of a long queue, from which questions take a job's place: a question begins it,
 * at most every few seconds; n is about the jobs looked at. True: none is under way. Until it is through,
 * the order before it answers, and without one the place is left out. */
bool sched_order_step(struct planner *p, const struct sched_view *v, struct wall now, uint32_t n);

/* The first sentence of that alone, for the rows of a list: sched_waits_begin, sched_wait for each,
 * sched_waits_end; nothing else is asked of the planner in between. ret is initialised here,
 * rec_fini(&why_cause_rec, ret); it is empty for a job that does not wait. Cost: O(nodes of its
 * partitions); begin: O(users). */
void sched_waits_begin(struct planner *p, const struct sched_view *v, struct wall now);
void sched_wait(struct planner *p, const struct sched_view *v, const struct job *j, struct wall now,
                struct why_cause *ret);
void sched_waits_end(struct planner *p);

struct plan_filter {
    struct strv users, partitions; /* empty: all */
    uint32_t rows_max;
    bool waiting; /* only what waits */
};

/* The plan: windows, what runs, what waits in the order of the queue until rows_max, sorted by start; what
 * runs leaves room for half of them to those who wait. ret
 * is initialised here; rec_fini(&msg_plan_rec, ret). Cost: O(running + waiting). */
void planner_report(struct planner *p, const struct sched_view *v, struct wall now,
                    const struct plan_filter *filter, struct msg_plan *ret);

/* Where very much runs or waits: the priorities as the planner orders by them, ages as of now. A shallow
 * copy, good until the planner is called again. False: ask prio_ctx_init. Cost: O(1). */
struct prio_ctx;
bool planner_lend_ranks(const struct planner *p, const struct model *m, struct wall now,
                        struct prio_ctx *ret);

/* Why a waiting job waits, as the last pass saw it: never REASON_NONE once a pass has looked. Cost: O(1).
 */
enum reason planner_reason(const struct planner *p, uint32_t job);
/* The same, and never REASON_NONE: what has come in while a pass or a reading was under way waits for what
 * the job says itself, or for its turn. */
enum reason planner_reason_of(const struct planner *p, const struct job *j);

#endif
