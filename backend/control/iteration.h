/* iteration.h - the end of a loop iteration, and what follows a commit. */
#ifndef STOKER_BACKEND_CONTROL_ITERATION_H
#define STOKER_BACKEND_CONTROL_ITERATION_H

#include "backend/control/core.h"

/* Derives actions, asks the policy, hands the batch to the store. */
void iteration_end(void *ctx);
void iteration_on_commit(void *ctx, uint64_t ticket, int r, const char *text);

#endif
