/* shim_reap.h - the ends of the shim's children. */
#ifndef STOKER_BACKEND_SHIM_SHIM_REAP_H
#define STOKER_BACKEND_SHIM_SHIM_REAP_H

#include "backend/shim/shim_state.h"

/* Called before anything decides how the task ends: a rank that has ended by itself has. */
void shim_reap(struct shim *s);

#endif
