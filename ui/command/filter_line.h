/* filter_line.h - the filter line of the table on top: columns and values are suggested while it is typed,
 * and earlier filters come back. The line itself is the table's. */
#ifndef UI_COMMAND_FILTER_LINE_H
#define UI_COMMAND_FILTER_LINE_H

#include "ui/state/view.h"

void filter_line_new(struct ui *ui);
void filter_line_free(struct ui *ui);

/* Is a filter being typed? */
bool filter_line_is_open(const struct ui *ui);
/* Before the view gets the input: Tab and Down take a suggestion, Up and Down walk through earlier filters.
 * Returns whether it has taken the input. */
bool filter_line_input(struct ui *ui, const struct input *in);
/* After the view had it: new suggestions, or the line has been closed. */
void filter_line_follow(struct ui *ui);
/* The suggestions, below the line of the title. */
void filter_line_draw(const struct ui *ui, struct canvas *c, const struct screen_layout *l);

#endif
