/* sim_worker.h - the store's worker without a thread: work is done when the world's clock says so. */
#ifndef STOKER_TESTS_VOPR_SIM_WORKER_H
#define STOKER_TESTS_VOPR_SIM_WORKER_H

#include <stdint.h>

/* How long a piece of work takes from now on: between min and max milliseconds. */
void sim_worker_set_pace(int64_t min_ms, int64_t max_ms);
/* Called after each piece of work. */
void sim_worker_on_step(void (*fn)(void));

#endif
