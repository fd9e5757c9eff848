#include "backend/task/cpu_binding.h"

#include <string.h>

/* -1: there are few. */
static int cpu_binding_nth(const struct blob *order, const struct cpuset *usable, unsigned nth)
{
    uint16_t cpu;
    if (order->n) {
        if (nth >= order->n / sizeof cpu)
            return -1;
        memcpy(&cpu, order->p + nth * sizeof cpu, sizeof cpu);
        return cpu;
    }
    int real = cpuset_next(usable, 0);
    for (; nth && real >= 0; nth--)
        real = cpuset_next(usable, (unsigned)real + 1);
    return real;
}

bool cpu_binding_real(const struct cpuset *launch, const struct blob *order, const struct cpuset *usable,
                      struct cpuset *ret)
{
    *ret = (struct cpuset){0};
    for (int c = cpuset_next(launch, 0); c >= 0; c = cpuset_next(launch, (unsigned)c + 1)) {
        int real = cpu_binding_nth(order, usable, (unsigned)c);
        if (real < 0 || real >= CPUSET_MAX)
            return false;
        cpuset_add(ret, (unsigned)real);
    }
    return true;
}
