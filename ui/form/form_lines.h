/* form_lines.h - the lines of the fields' side: the rows, below each what is said about it, and blank lines
 * between groups where there is room for them. */
#ifndef UI_FORM_FORM_LINES_H
#define UI_FORM_FORM_LINES_H

#include "ui/form/form_page.h"

/* Makes s->lines again, for a side of that size, and scrolls it so that the row under the cursor is seen
 * with what is said about it. */
void form_lines_make(struct form_page *s, int height, int width);
void form_lines_fini(struct form_page *s);

/* What Ctrl-T would apply: the hint of the row under the cursor, else the first error that has a
 * suggestion, else the first warning. NULL: nothing. */
const struct form_hint *form_lines_fix(const struct form_page *s);

#endif
