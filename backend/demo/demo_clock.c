#include "backend/demo/demo_clock.h"

#include "src/os/clock_system.h"

#define START_NS (1000 * NS_PER_S) /* timers take 0 for "never" */

void demo_clock_init(struct demo_clock *c, struct wall at)
{
    *c = (struct demo_clock){.mono_ns = START_NS, .wall_ms = at.ms};
}

/* What has passed since the clock was set, in ns of its own. */
static int64_t demo_clock_passed_ns(const struct demo_clock *c)
{
    return c->speed ? (clock_system_mono().ns - c->real_ns) * (int64_t)c->speed : 0;
}

void demo_clock_advance(struct demo_clock *c, int64_t ns)
{
    int64_t ms = (c->mono_ns + ns) / NS_PER_MS - c->mono_ns / NS_PER_MS;
    c->mono_ns += ns;
    c->wall_ms += ms;
}

void demo_clock_go(struct demo_clock *c, uint32_t speed)
{
    demo_clock_advance(c, demo_clock_passed_ns(c));
    c->real_ns = clock_system_mono().ns;
    c->speed = speed;
}

struct mono demo_clock_mono(const struct demo_clock *c)
{
    return (struct mono){.ns = c->mono_ns + demo_clock_passed_ns(c)};
}

struct wall demo_clock_wall(const struct demo_clock *c)
{
    struct demo_clock now = *c;
    demo_clock_advance(&now, demo_clock_passed_ns(c));
    return (struct wall){.ms = now.wall_ms};
}
