/* time.h - instants as types that cannot be mixed, and their text forms.
 *
 * struct wall is what events, policy and people see; struct mono is what intervals and timers are measured
 * with. Nothing here reads a clock: src/os/clock.h does.
 */
#ifndef STOKER_BASE_TIME_H
#define STOKER_BASE_TIME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct wall {
    int64_t ms; /* since the Epoch, UTC; 0 = not set */
};

struct mono {
    int64_t ns; /* CLOCK_BOOTTIME: counts suspended time too */
};

#define MS_PER_S  1000LL
#define NS_PER_MS 1000000LL
#define NS_PER_S  1000000000LL

static inline bool wall_is_set(struct wall w)
{
    return w.ms != 0;
}

static inline struct wall wall_add_s(struct wall w, int64_t s)
{
    return (struct wall){.ms = w.ms + s * MS_PER_S};
}

/* Whole seconds from a to b, never negative: a clock that was set back must not show "-3 s". */
static inline int64_t wall_elapsed_s(struct wall a, struct wall b)
{
    return b.ms > a.ms ? (b.ms - a.ms) / MS_PER_S : 0;
}

static inline struct mono mono_add_ms(struct mono m, int64_t ms)
{
    return (struct mono){.ns = m.ns + ms * NS_PER_MS};
}

#define WALL_TEXT_SIZE 32

/* Local time as 2026-11-21T04:30:00; "Unknown" when not set. Returns buf. */
const char *wall_format_iso(struct wall w, char buf[static WALL_TEXT_SIZE]);
/* The same, appended, for texts that may choose another form by what the time is now. */
struct str;
void wall_append_iso(struct str *out, struct wall w, struct wall now);

#endif
