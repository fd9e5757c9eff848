/* bar.h - bars as rich text: what is used from the left, what is out from the right, in characters that
 * differ without colours. */
#ifndef UI_WIDGET_BAR_H
#define UI_WIDGET_BAR_H

#include <stdint.h>

#include "ui/widget/rich.h"

struct bar_part {
    uint64_t n;
    char sign; /* ASCII, one cell each */
    enum role role;
};

/* Adds "[" parts "]" in width cells. Each part is in proportion to total; a part that is not 0 has at least
 * one cell if there is room. The rest of total is free; it comes before the last part if last_right. */
void bar_parts(struct rich *r, const struct bar_part *parts, size_t n, uint64_t total, int width,
               bool last_right);

/* Used from the left, out from the right. */
void bar_two_ended(struct rich *r, uint64_t used, uint64_t out, uint64_t total, int width);

/* held of total are allocated. busy_permille of total are measured to be busy, -1: not measured. Out: the
 * node takes no jobs. */
void bar_load(struct rich *r, uint64_t held, int busy_permille, uint64_t total, bool out, int width);

/* The last width of n percentages, oldest first, one cell each, on a scale from 0 to 100. */
void spark_add(struct rich *r, const uint8_t *percent, size_t n, int width, bool ascii);

/* Normal under 70 %, warm under 90 %, hot above. */
enum role load_role(int percent);

#endif
