#include "backend/node/cpu_order.h"

#include <stdio.h>
#include <stdlib.h>

#include "backend/task/proc.h"
#include "src/base/xalloc.h"

struct cpu_place {
    int package, die, core;
    uint16_t cpu;
};

static int number_of(const char *sysfs, int cpu, const char *what)
{
    char path[512], text[32];
    snprintf(path, sizeof path, "%s/cpu%d/topology/%s", sysfs, cpu, what);
    return proc_read_file(path, text, sizeof text) > 0 ? atoi(text) : -1;
}

static int cpu_order_compare(const void *a, const void *b)
{
    const struct cpu_place *p = a, *q = b;
    if (p->package != q->package)
        return p->package < q->package ? -1 : 1;
    if (p->die != q->die)
        return p->die < q->die ? -1 : 1;
    if (p->core != q->core)
        return p->core < q->core ? -1 : 1;
    return p->cpu < q->cpu ? -1 : p->cpu > q->cpu;
}

void cpu_order_read(const struct cpuset *cpus, const char *sysfs, struct blob *ret)
{
    struct cpu_place places[CPUSET_MAX];
    size_t n = 0;
    bool told = true;
    for (int c = cpuset_next(cpus, 0); c >= 0; c = cpuset_next(cpus, (unsigned)c + 1)) {
        places[n] =
            (struct cpu_place){number_of(sysfs, c, "physical_package_id"), number_of(sysfs, c, "die_id"),
                               number_of(sysfs, c, "core_id"), (uint16_t)c};
        told = told && places[n].core >= 0;
        n++;
    }
    if (told)
        qsort(places, n, sizeof *places, cpu_order_compare);
    uint16_t *order = xcalloc(n ? n : 1, sizeof *order);
    for (size_t i = 0; i < n; i++)
        order[i] = places[i].cpu;
    *ret = (struct blob){.p = (uint8_t *)order, .n = n * sizeof *order};
}
