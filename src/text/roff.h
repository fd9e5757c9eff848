/* roff.h - texts of manual pages, as troff wants them. */
#ifndef STOKER_TEXT_ROFF_H
#define STOKER_TEXT_ROFF_H

#include "src/base/str.h"

/* Text as it is to be seen: dashes that can be copied, no line that begins with a request. What ends in a
 * line break begins a new line. */
void roff_text(struct str *out, const char *s);
/* ".SH TITLE", or of a smaller one ".SS Title". */
void roff_section(struct str *out, const char *title);
void roff_subsection(struct str *out, const char *title);
/* A paragraph behind a bold word: an option, a key, a command. more follows the word plainly; NULL:
 * nothing. */
void roff_item(struct str *out, const char *word, const char *more, const char *text);

#endif
