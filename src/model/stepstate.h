/* stepstate.h - what has become of the steps and tasks of a job, for lists, pages and commands alike.
 *
 * A task that was ended because another one failed has not failed: the one that did is what a user looks
 * for.
 */
#ifndef STOKER_MODEL_STEPSTATE_H
#define STOKER_MODEL_STEPSTATE_H

#include "src/model/job.h"

enum step_stage {
    STEP_LATER,   /* its turn has not come */
    STEP_WAITS,   /* none of its tasks has a place yet */
    STEP_RUNS,    /* begun and not over */
    STEP_OVER,    /* ended */
    STEP_NOT_RUN, /* it has not begun and never will */
};

enum step_stage step_stage(const struct job *j, const struct step *s);
/* A task of it has been given a place: before that Slurm has no such step. */
bool step_has_begun(const struct step *s);

/* Ended badly by itself; one that was ended by a request or because of another has not failed. */
bool task_has_failed(const struct task *t);
/* Ended from outside. */
bool task_was_stopped(const struct task *t);
/* The first task of the step, of the job, that failed; NULL: none did. */
const struct task *step_first_failed(const struct step *s);
const struct task *job_first_failed(const struct job *j, const struct step **ret_step);

/* How the step ended: as the task that failed first, else as its worst one. */
struct step_exit {
    int32_t code, signal;
};
struct step_exit step_exit(const struct job *j, const struct step *s);

struct step_tally {
    uint32_t n, done, live, waiting, failed, stopped, not_run; /* tasks; n: all there are to be */
};
struct step_tally step_count(const struct step *s);

#endif
