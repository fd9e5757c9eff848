/* shim_rank.h - one process of the task, from fork to exec. */
#ifndef STOKER_BACKEND_SHIM_SHIM_RANK_H
#define STOKER_BACKEND_SHIM_SHIM_RANK_H

#include "backend/shim/shim_state.h"

int shim_rank_spawn(struct shim *s, struct rank *r);
/* Takes what the child says of its start. */
void shim_rank_read_report(struct shim *s, struct rank *r);

/* The calling process, a child, is no longer spared by the kernel's out-of-memory killer. */
void shim_rank_unspare(const struct shim *s);
/* The next exec of the calling process, a child, closes all but the first three descriptors. */
void shim_rank_close_the_rest(void);

#endif
