/* dep.h - dependencies between jobs: the grammar of --dependency, and whether one is met.
 *
 *     list = dep { "," dep }   all must hold      |      dep { "?" dep }   any one will do
 *     dep  = after:J[+min][:J[+min]...] | afterany:J.. | afterok:J.. | afternotok:J.. | aftercorr:J..
 *          | singleton | J..                                                   (a bare J: afterany)
 *     J    = N | N_k        a job or a whole array, one element of an array
 *
 * The state of a job that has left the state is not known here: an element that was retired is, because its
 * array remembers which of them went wrong (job.array_failed), and a job that a waiting one names is not
 * retired (backend/control/retire.c). An id that the model does not know therefore never comes true.
 *
 * Source: sbatch(1), --dependency.
 */
#ifndef STOKER_MODEL_DEP_H
#define STOKER_MODEL_DEP_H

#include "src/base/str.h"
#include "src/model/model.h"

/* X(enum member, Slurm's word) */
#define DEP_TYPES(X) \
    X(AFTER, "after") \
    X(ANY, "afterany") \
    X(OK, "afterok") \
    X(NOT_OK, "afternotok") \
    X(CORR, "aftercorr") \
    X(SINGLETON, "singleton")

enum dep_type {
#define X(name, word) DEP_TYPE_##name,
    DEP_TYPES(X)
#undef X
        DEP_N_TYPES
};

struct dep {
    enum dep_type type;
    uint32_t job;     /* id of the job or the array; 0: singleton */
    uint32_t index;   /* ARRAY_NONE: all of it */
    uint32_t delay_s; /* of `after` */
};

struct deps {
    struct dep *v;
    size_t n;
    bool any; /* one is enough */
};

/* Reads a list. NULL and "" give an empty one. Owns: deps_fini(ret). Errors: -EINVAL with a text that
 * quotes the item. */
int dep_parse(const char *text, struct deps *ret, struct errtext *err) __attribute__((warn_unused_result));
void deps_fini(struct deps *d);
/* "afterok:12:13_4,singleton", as dep_parse takes it. Appends. */
void dep_format(const struct deps *d, struct str *out);
void dep_format_one(const struct dep *d, struct str *out);

enum dep_state {
    DEP_MET,
    DEP_WAIT,
    DEP_NEVER, /* what it waits for can no longer happen */
};

/* One dependency of job j. index: of the element of j that is asked about, where j is an array's record;
 * ARRAY_NONE: j itself, or whether any of the record's elements may go. ret_clears (may be NULL): set where
 * it is known when a wait is over (after:J+min).
 *
 * Cost: a look-up or two; singleton: O(pending before it + active); aftercorr of a record without an index:
 * O(its elements that may have something to do). */
enum dep_state dep_one_state(const struct model *m, const struct job *j, const struct dep *d,
                             uint32_t index, struct wall now, struct wall *ret_clears);

/* All of them. MET as well where j->dep_met says so: what was met once stays met, even if the other job is
 * queued again; but of those with a singleton one runs at a time. */
enum dep_state dep_state(const struct model *m, const struct job *j, const struct deps *d, uint32_t index,
                         struct wall now, struct wall *ret_clears);

/* Whether a MET of the whole job is for all of it and for good. Not while the elements of an array go one
 * by one (aftercorr): those are asked about with their index. */
bool dep_is_final(const struct model *m, const struct job *j, const struct deps *d);
/* Whether one of its dependencies is singleton: of an array's record then one element starts at a time. */
bool dep_is_singleton(const struct job *j);
/* Of a job that has left the state, and how it ended. */
enum dep_state dep_past_state(enum dep_type type, bool succeeded);

/* The same for the text in the request; MET where there is none. A text that cannot be read: NEVER. */
enum dep_state dep_job_state(const struct model *m, const struct job *j, uint32_t index, struct wall now,
                             struct wall *ret_clears);

#endif
