/* schedule.h - asks the policy, in slices, and turns its decisions into events. */
#ifndef STOKER_BACKEND_CONTROL_SCHEDULE_H
#define STOKER_BACKEND_CONTROL_SCHEDULE_H

#include "backend/control/core.h"

extern const struct module_ops schedule_module;

/* A slice of planning; the events of the cycle that it ends, if any. */
void schedule_run(struct control *c);
/* The policy is asked again after ms at the latest. */
void schedule_wake(struct control *c, int64_t ms);
/* The job's reason is news to followers, whatever it is: after the next cycle they are told. */
void schedule_note_reason(struct control *c, uint32_t job);

#endif
