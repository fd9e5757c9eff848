/* cpu_binding.h - which CPUs of this machine those of a launch are. */
#ifndef STOKER_BACKEND_TASK_CPU_BINDING_H
#define STOKER_BACKEND_TASK_CPU_BINDING_H

#include "src/base/cpuset.h"
#include "src/record/rec.h"

/* CPU n of a launch is the n-th one that the agent may use, in order (uint16_t each: those of a core are
 * neighbours; empty: as usable counts them). False where the launch names more than there are: then it is
 * not bound. */
bool cpu_binding_real(const struct cpuset *launch, const struct blob *order, const struct cpuset *usable,
                      struct cpuset *ret);

#endif
