/* linetext.h - a line of a program's output as a terminal would leave it: what a carriage return overwrote
 * is gone, a backspace took back, tabs are blanks, colours are kept as ink, every other control sequence is
 * left out.
 *
 * What comes out is printable: it may stand on a terminal as it is. A sequence that is not ended in its
 * line is shown, escaped, so that it cannot swallow what follows.
 */
#ifndef UI_WIDGET_LINETEXT_H
#define UI_WIDGET_LINETEXT_H

#include <stddef.h>

#include "src/base/str.h"
#include "ui/theme/theme.h"

struct text_span {
    size_t end; /* in bytes of the text */
    struct style ink;
};

struct linetext {
    struct str text;
    struct text_span *spans; /* one after the other, up to the text's end */
    size_t n_spans, cap;
};

void linetext_init(struct linetext *t);
void linetext_fini(struct linetext *t);
/* Makes *t the n bytes at s, without their line end. */
void linetext_set(struct linetext *t, const char *s, size_t n);

#endif
