/* recent.h - a percentage over the last minutes: a ring with one value for each slot of time, which knows
 * the slots in which nothing was measured. A zeroed one is empty. It owns nothing.
 */
#ifndef UI_WIDGET_RECENT_H
#define UI_WIDGET_RECENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "src/base/time.h"

#define RECENT_SLOT_MS 3000
#define RECENT_SLOTS   120 /* six minutes */
#define RECENT_NONE    UINT8_MAX

struct recent {
    int64_t end; /* one more than the number of the newest slot; 0: it is empty */
    uint8_t v[RECENT_SLOTS];
};

/* The value of the slot that t is in, in place of an earlier one; a slot that has left the ring is
 * dropped. */
void recent_add(struct recent *p, struct mono t, uint64_t percent);
/* Is there a value that recent_read would give? */
bool recent_is_empty(const struct recent *p, struct mono now);
/* The last n slots until now, oldest first, RECENT_NONE where nothing was measured. With an even n slots
 * keep their partners in pairs while time goes on. */
void recent_read(const struct recent *p, struct mono now, uint8_t *ret, size_t n);

#endif
