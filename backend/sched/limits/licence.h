/* licence.h - licences: counters of the cluster that running jobs hold parts of.
 *
 *     --licenses=matlab:2,ansys      licenses = ( { name = "matlab"; count = 4; } );
 */
#ifndef STOKER_BACKEND_SCHED_LICENCE_H
#define STOKER_BACKEND_SCHED_LICENCE_H

#include "src/base/str.h"
#include "src/base/vec.h"
#include "src/model/cause.h"
#include "src/model/model.h"

struct licence {
    const struct license_spec *spec; /* the model's */
    uint32_t count;
};

struct licence_list {
    VEC(struct licence) v; /* each name once */
};

/* Reads a request: names with ":N" or "*N" or "=N", 1 without, joined with ',' or ';'. Errors: -EINVAL
 * (cannot be read), -ENOENT (not configured), -ERANGE (more than there are), with the cause in *why, which
 * may be NULL. Owns: licence_fini. */
int licence_parse(const struct model *m, const char *text, struct licence_list *ret, struct cause *why)
    __attribute__((warn_unused_result));
void licence_fini(struct licence_list *l);
/* What a job with that text holds; what the configuration no longer knows counts for nothing. */
void licence_list_held(const struct model *m, const char *text, struct licence_list *ret);

/* What is in use; licence_use_init asks every active job. */
struct licence_use {
    VEC(uint32_t) used; /* by position in spec.licenses */
};
void licence_use_init(struct licence_use *u, const struct model *m);
void licence_use_fini(struct licence_use *u);
void licence_copy(struct licence_use *to, const struct licence_use *from);
/* What is asked for is taken, or given back. */
void licence_book(struct licence_use *u, const struct model *m, const char *text, bool give);
/* Whether j holds licences while it is in this state. */
bool licence_holds(const struct job *j);
/* Whether what j asks for is free; licence_take takes it. */
bool licence_fits(const struct licence_use *u, const struct model *m, const struct job *j);
bool licence_list_fits(const struct licence_use *u, const struct model *m, const struct licence_list *l);
void licence_take(struct licence_use *u, const struct model *m, const struct job *j);

/* The licences that are not free, with the jobs that hold them; CAUSE_NONE if all are free. counted: with
 * what is promised to jobs that preempt others; NULL: what active jobs hold. Returns false where the
 * request can never be met. */
bool licence_explain(const struct model *m, const struct licence_use *counted, const struct job *j,
                     struct cause *ret);

#endif
