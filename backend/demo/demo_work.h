/* demo_work.h - what the users of a demo submit, and when: a table of jobs, each a script as a user would
 * have written it.
 */
#ifndef STOKER_BACKEND_DEMO_DEMO_WORK_H
#define STOKER_BACKEND_DEMO_DEMO_WORK_H

#include <stdbool.h>
#include <stdint.h>

#include "src/base/err.h"
#include "src/proto/msg.h"

struct demo_work {
    const char *name; /* of the job */
    unsigned user;
    /* A batch script, or a job file where it does not begin with "#!". "@NAME@" stands for the id of the
     * last job of that name. */
    const char *text;
    int at_min;       /* before the moment that the demo opens with; 0: not then */
    uint32_t gap_min; /* and again and again, so long between two on average; 0: no more */
};

extern const struct demo_work demo_works[];
extern const unsigned demo_n_works;

/* The submission. ids: of the last job of each row. Errors: a row that is wrong, with text. */
int demo_work_message(const struct demo_work *w, const uint32_t *ids, struct wall now,
                      struct msg_submit *ret, struct errtext *err) __attribute__((warn_unused_result));

#endif
