/* shim_timer.h - the times that the sleep of the machine must not delay: limit, early signal, lease. */
#ifndef STOKER_BACKEND_SHIM_SHIM_TIMER_H
#define STOKER_BACKEND_SHIM_SHIM_TIMER_H

#include "backend/shim/shim_state.h"

/* Time limit and early signal, as the launch has them. */
void shim_timer_start(struct shim *s);
/* One of the times has changed. */
void shim_timer_arm(struct shim *s);
/* Its early signal is due in in_s seconds; DURATION_UNLIMITED: not at all. Where it has been sent, only a
 * time that lies well ahead counts: the same limit may be told again. */
void shim_timer_set_early(struct shim *s, uint32_t in_s);
/* The job's time limit is another now, over in in_s seconds (DURATION_UNLIMITED: never), or stands still
 * until this is called again. A limit of the step's own only stands still, and goes on. */
void shim_timer_set_limit(struct shim *s, bool paused, uint32_t in_s);
/* When the lease is over; INT64_MAX: never. */
int64_t shim_timer_lease_ms(const struct shim *s);

#endif
