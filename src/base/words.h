/* words.h - a line cut into words as a shell does it, and names that are nearly alike. */
#ifndef STOKER_SRC_BASE_WORDS_H
#define STOKER_SRC_BASE_WORDS_H

#include <stdbool.h>
#include <stddef.h>

#include "src/base/str.h"

/* Appends the words of s to ret. Blanks part them; quotes group, and an empty quoted word is one; a
 * backslash outside single quotes takes the next character as it is; nothing is put in the place of
 * anything. comments:
 * '#' at the beginning of a word ends the line. Returns -EINVAL for a quote that is not closed. */
int words_split(const char *s, bool comments, struct strv *ret);

/* Levenshtein's distance: how many bytes must be put in, taken out or changed. SIZE_MAX for words of 64
 * bytes and more, which nobody mistypes. */
size_t words_distance(const char *a, const char *b);

#endif
