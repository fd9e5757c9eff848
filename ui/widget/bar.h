/* bar.h - the one bar of the screens, as rich text: parts of a whole on a dim track, each in its colour,
 * with ends in eighths of a cell. Without colours, and in ASCII, each part has its character:
 *
 *     ####====....xx   # used, = allocated but idle, . free, x offline
 */
#ifndef UI_WIDGET_BAR_H
#define UI_WIDGET_BAR_H

#include <stdint.h>

#include "ui/term/signs.h"
#include "ui/widget/rich.h"

struct bar_part {
    uint64_t n;
    enum role role; /* a ROLE_BAR_* */
};

/* Adds a bar of width cells. Each part is in proportion to total, one behind the other; a part that is not
 * 0 is seen if there is room. The rest of total is free. */
void bar_add(struct rich *r, const struct bar_part *parts, size_t n, uint64_t total, int width);

/* Used from the left, out of use from the right. */
void bar_two_ended(struct rich *r, uint64_t used, uint64_t out, uint64_t total, int width);

/* The same where idle of those that are used do nothing. */
void bar_three(struct rich *r, uint64_t used, uint64_t idle, uint64_t out, uint64_t total, int width);

/* held of total are allocated. busy_permille of total are measured to be busy, -1: not measured. Out: the
 * node takes no jobs. */
void bar_load(struct rich *r, uint64_t held, int busy_permille, uint64_t total, bool out, int width);

/* Normal under 70 %, warm under 90 %, hot above. */
enum role load_role(int percent);

#endif
