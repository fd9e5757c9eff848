/* sched.h - the policy: who starts where, and why not.
 *
 * Pure: reads a view and `now`, returns decisions; no I/O, no clock, no randomness, no globals. The
 * controller, the simulator and the tests call the same functions. docs/SCHEDULER.md explains the policy;
 * planner.h is the way in.
 */
#ifndef STOKER_BACKEND_SCHED_H
#define STOKER_BACKEND_SCHED_H

#include "src/answers/answer_why.h"
#include "src/answers/refusal.h"
#include "src/base/vec.h"
#include "src/model/model.h"

struct limits;

/* What the policy may look at. */
struct sched_view {
    const struct model *model;
    /* Whether the user is in one of the Unix groups; the caller answers from what it has looked up. NULL:
     * nobody is. */
    bool (*in_groups)(void *ctx, uint32_t uid, const struct strv *groups);
    void *ctx;
    struct limits *limits;              /* what is held, kept up by the caller; NULL: nothing is limited */
    const struct licence_use *licences; /* likewise; NULL: what active jobs hold */
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

struct sched_preempt { /* a running job that has to go */
    uint32_t job, by_job;
    uint32_t grace_s; /* between TERM and KILL */
    uint32_t fate;    /* enum job_fate */
    char *text;       /* by which rule; owned */
};

struct sched_result {
    VEC(struct sched_start) starts;
    VEC(struct sched_place) places;
    VEC(struct sched_preempt) preempts;
    VEC(uint32_t) changed; /* waiting jobs whose reason is another now; the first ones of very many */
    struct wall next;      /* when to ask again although nothing happens; unset: no need */
};

void sched_result_init(struct sched_result *r);
void sched_result_fini(struct sched_result *r);

/* One pass of a planner (planner.h) that is made for it: for tests and questions. */
void sched_decide(const struct sched_view *v, struct wall now, struct sched_result *ret);

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
