/* jobtargets.h - which jobs: the names that people and scripts use for jobs, elements, steps and tasks.
 *
 *     target = job [ "." step [ "." task ] ]       step = N | "batch" | "interactive" | "extern"
 *     job    = N | N "_" k | N "_[" items "]" | N "_*"
 */
#ifndef STOKER_JOBSPEC_JOBTARGETS_H
#define STOKER_JOBSPEC_JOBTARGETS_H

#include "src/base/err.h"
#include "src/client/client.h"
#include "src/model/job.h"

struct target_list {
    REC_LIST(struct job_target) list;
};

void target_list_fini(struct target_list *t);
/* Adds what one word names: several targets where it holds a list in brackets. Errors: -EINVAL, the text
 * quotes the word. */
int targets_add(struct target_list *t, const char *word, struct errtext *err)
    __attribute__((warn_unused_result));
/* The same for words between commas; commas within brackets do not count. */
int targets_add_list(struct target_list *t, const char *words, struct errtext *err)
    __attribute__((warn_unused_result));

/* JOB[.STEP[.TASK]]: one thing. ret_task is NOT_GIVEN without a task. Errors: -EINVAL. */
int target_parse_one(const char *word, struct job_target *ret, uint32_t *ret_task, struct errtext *err)
    __attribute__((warn_unused_result));

/* "4711", "4711_3", "4711_3.batch". */
void target_append(struct str *out, const struct job_target *t);

#endif
