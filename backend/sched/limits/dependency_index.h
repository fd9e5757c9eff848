/* dependency_index.h - which waiting jobs may become eligible by a change of another job.
 *
 * For each job or array that other jobs wait for, the index knows these. When something happens to it, only
 * jobs that may be concerned are looked at. Elements of a large array start and end by the thousand: jobs
 * that wait for the whole array are looked at when its last element has started, when the last one has
 * ended and when the first one fails; jobs that wait for one element, when that one changes. Of jobs that
 * wait for others of their name only the first in the queue is looked at: the rest wait for it.
 *
 * It belongs to the driver of the policy (the controller, the simulator), which turns its answers into
 * EV_ELIGIBLE. Owns: copies of ids; the model stays the truth. An entry that is out of date costs a look-up
 * and goes.
 */
#ifndef STOKER_BACKEND_SCHED_DEPENDENCY_INDEX_H
#define STOKER_BACKEND_SCHED_DEPENDENCY_INDEX_H

#include "src/base/heap.h"
#include "src/base/str.h"
#include "src/base/vec.h"
#include "src/model/cause.h"
#include "src/model/dep.h"

struct dep_list {
    VEC(uint32_t) v;
};

struct dep_waiting { /* for one thing: their ids, ascending, each once */
    VEC(uint32_t) v;
    uint32_t stage; /* of an array: how far it was when they were looked at */
};

struct dep_index {
    struct idmap waiting; /* key of what is waited for -> struct dep_waiting */
    struct idmap timers;  /* job -> struct dep_timer */
    struct heap due;      /* of them */
};

void dep_index_init(struct dep_index *x);
void dep_index_fini(struct dep_index *x);
/* A job has come in, come back or changed its dependencies. Returns whether they may be met now: false
 * where it waits for none, or stands behind another one of its name. */
bool dep_index_add(struct dep_index *x, const struct model *m, const struct job *j);
/* Something happened to j: appends the ids of those that wait for it, or for others of its user and name,
 * and may wait no longer. Where an element leaves its array's record, the element is told too. */
void dep_index_touched(struct dep_index *x, const struct model *m, const struct job *j,
                       struct dep_list *ret);
/* A job of that user is called something else now. */
void dep_index_renamed(struct dep_index *x, const struct model *m, uint32_t uid, const char *old_name,
                       struct dep_list *ret);
/* Whether a waiting job names it by its id. Then it must not be retired. */
bool dep_index_names(struct dep_index *x, const struct model *m, const struct job *j);
/* Appends those whose time has come and returns when the next one's does; unset: none. */
struct wall dep_index_due(struct dep_index *x, struct wall now, struct dep_list *ret);
/* Look at that job then: when its delay is over, say. One time for each job, the newest. */
void dep_index_remind(struct dep_index *x, uint32_t job, struct wall at);

/* The dependencies that are open, each with what has become of the other job; CAUSE_DEPENDENCY_NEVER and
 * those that can never be met where that is so. */
void dep_explain(const struct model *m, const struct job *j, struct wall now, struct cause *ret);

#endif
