#include "src/os/clock.h"

#include "src/os/clock_system.h"

struct mono mono_read(void)
{
    return clock_system_mono();
}

struct wall wall_read(void)
{
    return clock_system_wall();
}
