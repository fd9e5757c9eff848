/* jobevents.h - what has happened to a job, from its submission on: its runs, and what users and other jobs
 * did to it.
 *
 * The fold keeps each cancel, hold, requeue, preemption ... in the job's record (struct job_event), so that
 * it is there after a restart of the controller and in the history. Bound: JOB_EVENTS_MAX of them, beyond
 * that the oldest is forgotten; what ended a run stays with the run (src/model/runs.h).
 */
#ifndef STOKER_MODEL_FOLD_JOBEVENTS_H
#define STOKER_MODEL_FOLD_JOBEVENTS_H

#include "src/model/event.h"

#define JOB_EVENTS_MAX 100

/* Keeps what of the event belongs in the record. Called by the fold alone. */
void jobevents_note(struct job *j, const struct event *ev);

/* It waits after a run that another job ended. */
bool job_waits_preempted(const struct job *j);
/* Of a job that is held: since when, and by whom (*ret_uid, *ret_user; NULL: no name is known). */
struct wall job_held_since(const struct job *j, uint32_t *ret_uid, const char **ret_user);

#endif
