#include "src/base/clock.h"

#include "src/base/clock_system.h"

struct mono mono_read(void)
{
    return clock_system_mono();
}

struct wall wall_read(void)
{
    return clock_system_wall();
}
