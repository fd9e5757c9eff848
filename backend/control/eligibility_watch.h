/* eligibility_watch.h - what opens and closes with time and with other jobs: dependencies, deadlines,
 * windows.
 *
 * The policy only looks. Here what it would find becomes events: a dependency that is met (ELIGIBLE), one
 * that can never be met and whose job asked to be ended then (KILL), a deadline that can no longer be kept
 * (KILL), a window that is over (WINDOW). Jobs that may be concerned are noted as events come in and looked
 * at when the loop iteration ends, a bounded number in each: nothing here walks the queue. */
#ifndef STOKER_BACKEND_CONTROL_ELIGIBILITY_WATCH_H
#define STOKER_BACKEND_CONTROL_ELIGIBILITY_WATCH_H

#include "backend/control/core.h"

extern const struct module_ops eligibility_watch_module;

/* A job of that user has another name now. */
void eligibility_watch_renamed(struct control *c, uint32_t uid, const char *old_name);
/* At the end of a loop iteration: emits what has changed. n_done: jobs that were looked at in this
 * iteration. Returns whether some are left for the next one. */
bool eligibility_watch_run(struct control *c, uint32_t *n_done) __attribute__((warn_unused_result));
/* Whether another job's dependency names j: then it may not leave the state. */
bool eligibility_watch_names(struct control *c, const struct job *j);

#endif
