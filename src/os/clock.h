/* clock.h - what time it is. Only src/os/clock_system.c reads the system's clocks (tests/lint/clock.sh).
 *
 * A program that defines both functions itself decides what time it is: tests, and src/main_demo.c.
 */
#ifndef STOKER_OS_CLOCK_H
#define STOKER_OS_CLOCK_H

#include "src/base/time.h"

/* CLOCK_BOOTTIME: time while the machine sleeps counts too. For intervals, deadlines and timers. */
struct mono mono_read(void);

/* CLOCK_REALTIME, which an administrator may set. For events and people. */
struct wall wall_read(void);

static inline int64_t mono_ms(void)
{
    return mono_read().ns / NS_PER_MS;
}

static inline int64_t mono_us(void)
{
    return mono_read().ns / 1000;
}

#endif
