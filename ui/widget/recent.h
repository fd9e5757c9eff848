/* recent.h - a percentage over the last minutes: a ring with one value for each slot of time, which knows
 * the slots in which nothing was measured, and another one with a mean for each minute of the last hour. A
 * zeroed one is empty. It owns nothing.
 */
#ifndef UI_WIDGET_RECENT_H
#define UI_WIDGET_RECENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "src/base/time.h"

#define RECENT_SLOT_MS 3000
#define RECENT_SLOTS   120 /* six minutes */
#define RECENT_MINUTES 60  /* an hour */
#define RECENT_NONE    UINT8_MAX

struct recent {
    int64_t end; /* one more than the number of the newest slot; 0: it is empty */
    uint8_t v[RECENT_SLOTS];
    int64_t minute;  /* one more than the number of the newest one; 0: it is empty */
    uint32_t sum, n; /* of what was measured in it */
    uint8_t means[RECENT_MINUTES];
};

enum recent_span { RECENT_SIX_MINUTES, RECENT_HOUR };

/* The value of the slot that t is in, in place of an earlier one; a slot that has left the ring is
 * dropped. */
void recent_add(struct recent *p, struct mono t, uint64_t percent);
/* Is there a value that recent_read would give? */
bool recent_is_empty(const struct recent *p, struct mono now);
/* The last n slots until now, oldest first, RECENT_NONE where nothing was measured. With an even n slots
 * keep their partners in pairs while time goes on. */
void recent_read(const struct recent *p, struct mono now, uint8_t *ret, size_t n);
/* The whole of that span until now in n columns, at most RECENT_SLOTS, oldest first: means, and RECENT_NONE
 * where nothing was measured. */
void recent_columns(const struct recent *p, enum recent_span span, struct mono now, uint8_t *ret, size_t n);
/* The span that has room for measurements of that many seconds. */
enum recent_span recent_span_of(int64_t s);

/* The mean of several, each with its weight, slot by slot, of those that were measured in that slot. A
 * zeroed sum is empty. */
struct recent_sum {
    int64_t end;
    uint64_t sum[RECENT_SLOTS], weight[RECENT_SLOTS];
};
void recent_sum_add(struct recent_sum *s, const struct recent *p, uint64_t weight);
void recent_sum_mean(const struct recent_sum *s, struct recent *ret);

#endif
