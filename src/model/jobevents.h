/* jobevents.h - what has happened to a job, from its submission on: its runs, and what users and other jobs
 * did to it.
 *
 * The fold keeps each cancel, hold, requeue, preemption ... in the job's record (struct job_event), so that
 * it is there after a restart of the controller and in the history. Bound: JOB_EVENTS_MAX of them, beyond
 * that the oldest is forgotten; what ended a run stays with the run (src/model/runs.h).
 */
#ifndef STOKER_MODEL_JOBEVENTS_H
#define STOKER_MODEL_JOBEVENTS_H

#include "src/base/str.h"
#include "src/base/vec.h"
#include "src/model/event.h"

#define JOB_EVENTS_MAX 100

enum moment_tone { MOMENT_NORMAL, MOMENT_STRONG, MOMENT_WARN, MOMENT_ERROR };

struct job_moment {
    struct wall t;
    size_t order; /* of those at the same time */
    enum moment_tone tone;
    char *text;
};

struct job_moments {
    VEC(struct job_moment) v;
};

/* Keeps what of the event belongs into the record. Called by the fold alone. */
void jobevents_note(struct job *j, const struct event *ev);

/* All of it in the order of time. An event never changes afterwards. ret is initialised here;
 * job_moments_fini. */
void jobevents_list(const struct job *j, struct job_moments *ret);
void job_moments_fini(struct job_moments *m);

/* "ann", "root", "uid 1004": who did it, where user is the name, or NULL. */
void jobtext_who(struct str *out, const struct job *j, uint32_t uid, const char *user);
/* "job 328 of ann": the job that it was preempted for; user NULL: not known. */
void jobtext_preemptor(struct str *out, uint32_t by_job, const char *user);
/* The rule, as the sentence about the preemption goes on: without the name of the job that it begins with.
 */
const char *jobtext_preempt_rule(const char *text, uint32_t by_job);
/* "cancelled by ann", "preempted by job 328 of ann": what ended or ends it; it has a kill_cause. */
void jobtext_kill(struct str *out, const struct job *j);
/* "done", "failed: exit 1", "failed: signal SEGV", "cancelled by ann", "preempted by job 328 of ann": how
 * the job, or one of its runs (run_get), ended. */
void jobtext_end(struct str *out, const struct job *j);
/* "job 28 has ended: failed: exit 1", where another answer about a waiting job would stand; id as it is
 * shown. */
void jobtext_ended(struct str *out, const struct job *j, const char *id);

/* It waits after a run that another job ended. */
bool job_waits_preempted(const struct job *j);
/* "preempted by job 328 of ann after 27:31", "node fail after 4:10": how the last of the earlier runs
 * ended, and in *ret when. Nothing, where there is none. */
void jobtext_last_run(struct str *out, const struct job *j, struct wall *ret);
/* Of a job that is held: since when, and by whom (*ret_uid, *ret_user; NULL: no name is known). */
struct wall job_held_since(const struct job *j, uint32_t *ret_uid, const char **ret_user);

#endif
