/* graph.h - a percentage over the last minutes as a picture: Braille dots, two slots of time in a cell, the
 * newest at the right; a slot in which nothing was measured has no dots. In ASCII each cell has a character
 * as dense as its dots.
 */
#ifndef UI_WIDGET_GRAPH_H
#define UI_WIDGET_GRAPH_H

#include "ui/widget/recent.h"
#include "ui/widget/rich.h"

/* Adds one of the height lines, the topmost is line 0, width cells of it. role: of its dots. */
void graph_add(struct rich *r, const struct recent *p, struct mono now, int width, int height, int line,
               enum role role);
/* One line of the whole of a span: at most width cells, at the right. */
void graph_add_span(struct rich *r, const struct recent *p, enum recent_span span, struct mono now,
                    int width, enum role role);
/* Draws the whole of it. */
void graph_draw(const struct recent *p, struct mono now, struct canvas *c, struct rect at, enum role role);
/* Draws the whole of a span. */
void graph_draw_span(const struct recent *p, enum recent_span span, struct mono now, struct canvas *c,
                     struct rect at, enum role role);

#endif
