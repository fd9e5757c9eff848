/* clock_system.h - the system's clocks themselves, for src/base/clock.c and for a program whose clock is
 * made of them (backend/demo/demo_clock.h). Everything else reads src/base/clock.h.
 */
#ifndef STOKER_BASE_CLOCK_SYSTEM_H
#define STOKER_BASE_CLOCK_SYSTEM_H

#include "src/base/time.h"

struct mono clock_system_mono(void); /* CLOCK_BOOTTIME */
struct wall clock_system_wall(void); /* CLOCK_REALTIME */

#endif
