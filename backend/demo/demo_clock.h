/* demo_clock.h - the clock of a demo: it is moved by hand while the past is played, and then goes on as the
 * system's does, some times as fast, or stands still.
 */
#ifndef STOKER_BACKEND_DEMO_CLOCK_H
#define STOKER_BACKEND_DEMO_CLOCK_H

#include <stdbool.h>
#include <stdint.h>

#include "src/base/time.h"

struct demo_clock {
    int64_t mono_ns, wall_ms; /* at the moment real_ns of the system's clock */
    int64_t real_ns;
    uint32_t speed; /* 0: it is moved by hand alone */
};

/* Stands still at that time. */
void demo_clock_init(struct demo_clock *c, struct wall at);
void demo_clock_advance(struct demo_clock *c, int64_t ns);
/* Goes on from where it is. */
void demo_clock_go(struct demo_clock *c, uint32_t speed);

struct mono demo_clock_mono(const struct demo_clock *c);
struct wall demo_clock_wall(const struct demo_clock *c);

#endif
