/* cpu_order.h - the CPUs of this machine in an order in which those of one core are neighbours. */
#ifndef STOKER_BACKEND_NODE_CPU_ORDER_H
#define STOKER_BACKEND_NODE_CPU_ORDER_H

#include "src/base/cpuset.h"
#include "src/record/rec.h"

#define CPU_ORDER_SYSFS "/sys/devices/system/cpu"

/* cpus by package, die, core and number, uint16_t each; by number alone where the machine does not say. So
 * a task with neighbouring CPUs shares its cores with as few others as possible. Caller frees
 * ret->p. */
void cpu_order_read(const struct cpuset *cpus, const char *sysfs, struct blob *ret);

#endif
