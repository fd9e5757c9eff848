/* qos_levels.c - the levels of the QOS, by what they may preempt. */
#include <stdlib.h>

#include "backend/sched/queue/queue.h"
#include "src/base/xalloc.h"

/* Marks all QOS that `from` may preempt, directly or through others. */
static void qos_levels_mark_below(const struct cluster_spec *s, size_t from, bool *seen)
{
    for (size_t i = 0; i < s->qos.n; i++)
        if (!seen[i] && strv_has(&s->qos.v[from].preempt, s->qos.v[i].name)) {
            seen[i] = true;
            qos_levels_mark_below(s, i, seen);
        }
}

/* QOS that may preempt it back, through others, are not lower than it. */
static uint32_t qos_levels_level_above(const struct cluster_spec *s, size_t q, const bool *below,
                                       const uint32_t *levels)
{
    uint32_t level = 0;
    for (size_t i = 0; i < s->qos.n; i++)
        if (strv_has(&s->qos.v[q].preempt, s->qos.v[i].name) && !below[i * s->qos.n + q] &&
            levels[i] >= level)
            level = levels[i] + 1;
    return level;
}

uint32_t *qos_levels_of(const struct cluster_spec *s)
{
    size_t n = s->qos.n;
    uint32_t *levels = xcalloc(n + 1, sizeof *levels);
    bool *below = xcalloc(n * n + 1, sizeof *below), changed = true;
    for (size_t i = 0; i < n; i++)
        qos_levels_mark_below(s, i, &below[i * n]);
    for (size_t iteration = 0; iteration <= 2 * n && changed; iteration++) { /* no chain is longer */
        changed = false;
        for (size_t i = 0; i < n; i++) {
            uint32_t level = qos_levels_level_above(s, i, below, levels);
            for (size_t k = 0; k < n; k++) /* in a circle all are as high as the highest */
                if (below[i * n + k] && below[k * n + i] && levels[k] > level)
                    level = levels[k];
            changed = changed || level != levels[i];
            levels[i] = level;
        }
    }
    free(below);
    return levels;
}
