/* linetext.h - a line of a program's output as a terminal would leave it: what a carriage return overwrote
 * is gone, a backspace took back, tabs are blanks, control sequences are left out. */
#ifndef UI_WIDGET_LINETEXT_H
#define UI_WIDGET_LINETEXT_H

#include <stddef.h>

#include "src/base/str.h"

/* Appends the n bytes at s, without their line end, to out. What is left of control characters is for
 * cell_text to escape. */
void linetext_fold(const char *s, size_t n, struct str *out);

#endif
