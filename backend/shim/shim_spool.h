/* shim_spool.h - how much a task may write into its node's spool. */
#ifndef STOKER_BACKEND_SHIM_SHIM_SPOOL_H
#define STOKER_BACKEND_SHIM_SHIM_SPOOL_H

#include "backend/shim/shim_state.h"

void shim_spool_start(struct shim *s);
/* Ends the task where it has written more than the spool takes. */
void shim_spool_look(struct shim *s);

#endif
