/* steptext.h - steps and tasks in words. */
#ifndef STOKER_TEXT_STEPTEXT_H
#define STOKER_TEXT_STEPTEXT_H

#include "src/base/str.h"
#include "src/model/job.h"

/* Of a failed step job: "step 1 task 4 exited with 1 on gpu1". Returns false where no task of it failed. */
bool jobtext_failure(struct str *out, const struct job *j);
/* Of a task that was stopped, or has not run: "stopped: task 4 failed", "not run: cancelled". */
void tasktext_stopped(struct str *out, const struct job *j, const struct step *s, const struct task *t);
/* What the controller or the node says about its end; nothing where neither does. */
void tasktext_message(struct str *out, const struct task *t);
/* "needs 2 CPUs, 1 GPU": each task of a step job; "needs 2 CPUs of the job": a step within an
 * allocation. */
void steptext_needs(struct str *out, const struct job *j, const struct step *s);
/* "1 failed (task 4, exit 1, gpu1), 4 stopped because of it, 1 not run", "waits, needs 2 CPUs of the job",
 * "not run (step 1 failed)". */
void steptext_state(struct str *out, const struct job *j, const struct step *s);

#endif
