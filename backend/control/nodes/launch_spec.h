/* launch_spec.h - a task of the state as what its node is told to run. */
#ifndef STOKER_BACKEND_CONTROL_NODES_LAUNCH_SPEC_H
#define STOKER_BACKEND_CONTROL_NODES_LAUNCH_SPEC_H

#include "backend/control/core.h"

/* Errors: -ENOENT: the payload, or the environment of its step job (in the cache under STEP_ALL), cannot be
 * read; -E2BIG: names, arguments and variables of the ranks take more than a frame, which is seen before
 * they take that memory. ret: rec_fini(&launch_rec, ret); untouched on failure. */
int launch_spec_build(struct control *c, const struct job *j, const struct step *s, const struct task *t,
                      const uint8_t *payload, size_t n, struct launch *ret)
    __attribute__((warn_unused_result));
/* The line about its end for a task's standard error, as Slurm words it. NULL: none. Caller frees. */
char *launch_spec_kill_note(struct control *c, const struct job *j, const struct step *s,
                            const struct task *t);

#endif
