/* policy_view.h - the state as the policy is asked about it. */
#ifndef STOKER_BACKEND_CONTROL_POLICY_VIEW_H
#define STOKER_BACKEND_CONTROL_POLICY_VIEW_H

#include "backend/control/core.h"

extern const struct module_ops policy_view_module;

/* Valid until the next event. */
struct sched_view policy_view(struct control *c);

#endif
