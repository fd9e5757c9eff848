#include "src/os/clock_system.h"

#include <time.h>

#include "src/base/err.h"

static int64_t clock_system_ns(clockid_t id)
{
    struct timespec ts;
    bug_on(clock_gettime(id, &ts) < 0);
    return (int64_t)ts.tv_sec * NS_PER_S + ts.tv_nsec;
}

struct mono clock_system_mono(void)
{
    return (struct mono){.ns = clock_system_ns(CLOCK_BOOTTIME)};
}

struct wall clock_system_wall(void)
{
    return (struct wall){.ms = clock_system_ns(CLOCK_REALTIME) / NS_PER_MS};
}
