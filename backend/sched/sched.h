/* sched.h - the policy: who starts where, and why not.
 *
 * Pure: reads a view and `now`, returns decisions; no I/O, no clock, no randomness, no globals. The
 * controller, the simulator and the tests call the same functions. Order here: first come, first served in
 * each partition, no backfill; a job whose turn it is and that does not fit holds back those behind it in
 * its partition.
 */
#ifndef STOKER_BACKEND_SCHED_H
#define STOKER_BACKEND_SCHED_H

#include "src/base/vec.h"
#include "src/model/model.h"
#include "src/model/refusal.h"
#include "src/model/why.h"

/* What the policy may look at. */
struct sched_view {
    const struct model *model;
    /* Whether the user is in one of the Unix groups; the caller answers from what it has looked up. NULL:
     * nobody is. */
    bool (*in_groups)(void *ctx, uint32_t uid, const struct strv *groups);
    void *ctx;
};

struct sched_start { /* a batch or interactive job, or one element of an array */
    uint32_t job;
    uint32_t array_index;  /* ARRAY_NONE: the job itself */
    struct ev_start start; /* owned; new_id is left to the caller */
};

struct sched_place { /* a task of a step job */
    uint32_t job;
    struct ev_place place; /* owned */
};

/* What the last pass saw in a partition: enough to say why a job waits in O(1). */
struct sched_blocked {
    char *partition; /* owned: the configuration may change before the next pass */
    uint32_t job;    /* whose turn it is and what does not fit; 0: nothing blocks */
};

struct sched_result {
    VEC(struct sched_start) starts;
    VEC(struct sched_place) places;
    VEC(struct sched_blocked) blocked;
    VEC(uint32_t) never; /* jobs passed over: as things are configured they fit nowhere */
    struct wall next;    /* when to ask again although nothing happens; unset: no need */
};

void sched_result_init(struct sched_result *r);
void sched_result_fini(struct sched_result *r);

/* One pass over the queue. Cost: O(jobs looked at x nodes of their partitions); stops as soon as every
 * partition is blocked. */
void sched_decide(const struct sched_view *v, struct wall now, struct sched_result *ret);

/* Would a request ever be admitted and fit, with every node empty and up? Returns REFUSAL_NONE or why not,
 * with the numbers in text. Used at submission. steps: the declared steps of a step job, else NULL. */
enum refusal sched_admit(const struct sched_view *v, uint32_t uid, const struct job_req *req,
                         const struct step *steps, size_t n_steps, struct errtext *text);

/* The reason of one pending job, as of the pass that gave `last`. Cost: O(1) but for its partition's name.
 */
enum reason sched_reason(const struct sched_view *v, const struct job *j, const struct sched_result *last,
                         struct wall now);

/* The whole answer to why: every cause with numbers. ret is initialised here; rec_fini(&msg_why_rec, ret).
 */
void sched_why(const struct sched_view *v, const struct job *j, const struct sched_result *last,
               struct wall now, struct msg_why *ret);

/* --- steps inside an allocation (srun) --- */

enum step_fit { STEP_FITS, STEP_BUSY, STEP_TOO_BIG };

/* Where the tasks of step s of the batch or interactive job j can run now, beside the steps that run there
 * already. FITS: one ev_place for each node used is appended to ret (a VEC of struct ev_place, owned by the
 * caller). The text says what is short. */
struct sched_places {
    VEC(struct ev_place) v;
};
enum step_fit sched_fit_step(const struct job *j, const struct step *s, struct sched_places *ret,
                             struct errtext *text);

#endif
