/* shim_mem.h - how much memory and time the task took, and its end when it takes more memory than it has.
 */
#ifndef STOKER_BACKEND_SHIM_SHIM_MEM_H
#define STOKER_BACKEND_SHIM_SHIM_MEM_H

#include "backend/shim/shim_state.h"

void shim_mem_start(struct shim *s);
void shim_mem_look(struct shim *s);
/* Fills peak_rss_kib, cpu_ms and sampled. */
void shim_mem_finish(struct shim *s, struct launch_end *end);

#endif
