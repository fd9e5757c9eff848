/* clock_system.h - the system's clocks themselves, for src/os/clock.c and for a program whose clock is
 * made of them (backend/demo/demo_clock.h). Everything else reads src/os/clock.h.
 */
#ifndef STOKER_OS_CLOCK_SYSTEM_H
#define STOKER_OS_CLOCK_SYSTEM_H

#include "src/base/time.h"

struct mono clock_system_mono(void); /* CLOCK_BOOTTIME */
struct wall clock_system_wall(void); /* CLOCK_REALTIME */

#endif
