/* formcommand.h - the command of a script, where it has but one: a line that can be typed in a field. */
#ifndef UI_VIEW_FORMCOMMAND_H
#define UI_VIEW_FORMCOMMAND_H

#include "src/base/str.h"

/* Lines that a shell would do something about: neither empty nor a comment. */
size_t formcommand_lines(const char *text);
/* The only one of them, without its line break; NULL where there are none or several. Caller frees. */
char *formcommand_get(const char *text) __attribute__((warn_unused_result));
/* Puts value in its place, or at the end where there is none yet. "" and what would be a comment take it
 * out. Where there are several lines nothing is changed. */
void formcommand_set(struct str *text, const char *value);

#endif
