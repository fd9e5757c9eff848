/* depend.h - which waiting jobs a change may let go.
 *
 * The index knows, for each job or array that others wait for, who they are: when something happens to it,
 * only those are looked at. It belongs to whoever drives the policy (the controller, the simulator), which
 * turns what it finds into EV_ELIGIBLE.
 *
 * Owns: copies of ids; the model stays the truth. An entry that is out of date costs a look and goes.
 */
#ifndef STOKER_BACKEND_SCHED_DEPEND_H
#define STOKER_BACKEND_SCHED_DEPEND_H

#include "src/base/str.h"
#include "src/base/vec.h"
#include "src/model/dep.h"

struct dep_list {
    VEC(uint32_t) v;
};

struct dep_timer { /* after:J+min: look again then */
    struct wall at;
    uint32_t job;
};

struct dep_index {
    struct idmap waiting; /* id of what is waited for, or a key of user and name -> struct dep_list */
    VEC(struct dep_timer) timers; /* in no order: few */
};

void dep_index_init(struct dep_index *x);
void dep_index_fini(struct dep_index *x);
/* Of every pending job: at the start, after a reload. */
void dep_index_build(struct dep_index *x, const struct model *m);
/* A job has come in, come back or changed its dependencies. No-op where it waits for none. */
void dep_index_add(struct dep_index *x, const struct model *m, const struct job *j);
/* Something happened to j: appends the ids of those that wait for it, or for others of its user and name.
 */
void dep_index_touched(struct dep_index *x, const struct model *m, const struct job *j,
                       struct dep_list *ret);
/* Whether a waiting job names it by its id. Then it must not be retired. */
bool dep_index_names(struct dep_index *x, const struct model *m, const struct job *j);
/* Appends those whose delay is over and returns when the next one is; unset: none. */
struct wall dep_index_due(struct dep_index *x, struct wall now, struct dep_list *ret);
/* What is known when such a wait ends. */
void dep_index_remind(struct dep_index *x, uint32_t job, struct wall at);

/* The cause for `why`: "waits for job 12 (RUNNING) to succeed; job 13 (waiting) to end", or "can never
 * start: job 12 (FAILED, exit 1:0) had to succeed". Appends. */
void dep_explain(const struct model *m, const struct job *j, struct wall now, struct str *out);

#endif
