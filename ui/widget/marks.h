/* marks.h - a set of ids: those that are marked.
 *
 * 64 neighbouring ids share a slot of the map. Rows are numbered without many gaps, so a question about
 * 100,000 marked rows stays within a few lines of the cache, where a slot for each would miss it every
 * time.
 */
#ifndef UI_WIDGET_MARKS_H
#define UI_WIDGET_MARKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "src/base/idmap.h"

struct marks {
    struct idmap words; /* id / 64 -> a bit for each of its ids */
    size_t n;
};

void marks_fini(struct marks *m);
bool marks_has(const struct marks *m, uint64_t id);
void marks_set(struct marks *m, uint64_t id, bool on);

#endif
