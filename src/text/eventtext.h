/* eventtext.h - what has happened to a job, in words: the moments of its history, and how its runs ended.
 */
#ifndef STOKER_TEXT_EVENTTEXT_H
#define STOKER_TEXT_EVENTTEXT_H

#include "src/base/str.h"
#include "src/base/vec.h"
#include "src/model/job.h"

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

/* All of it in the order of time. An event never changes afterwards. ret is initialised here;
 * job_moments_fini. */
void jobevents_list(const struct job *j, struct job_moments *ret);
void job_moments_fini(struct job_moments *m);

/* "ann", "root", "uid 1004": who did it, where user is the name, or NULL. */
void jobtext_who(struct str *out, const struct job *j, uint32_t uid, const char *user);
/* "job 328 in partition main (tier 2) comes before partition low (tier 1)": by which rule it was preempted.
 * Returns false and appends nothing where it was not. */
bool jobtext_preempted_by_rule(struct str *out, const struct job *j);
/* "cancelled by ann", "preempted by job 328 of ann": what ended or ends it; it has a kill_cause. */
void jobtext_kill(struct str *out, const struct job *j);
/* "done", "failed: exit 1", "failed: signal SEGV", "cancelled by ann", "preempted by job 328 of ann": how
 * the job, or one of its runs (run_get), ended. */
void jobtext_end(struct str *out, const struct job *j);
/* "job 28 has ended: failed: exit 1", where another answer about a waiting job would stand; id as it is
 * shown. */
void jobtext_ended(struct str *out, const struct job *j, const char *id);

/* The same of one run that is over. */
void jobtext_run(struct str *out, const struct job *run, struct wall *ret);
/* "preempted by job 328 of ann after 27:31", "node fail after 4:10": how the last of the earlier runs
 * ended, and in *ret when. Nothing, where there is none. */
void jobtext_last_run(struct str *out, const struct job *j, struct wall *ret);

#endif
