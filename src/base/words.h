/* words.h - a line cut into words as a shell does it, and names that are nearly alike. */
#ifndef STOKER_SRC_BASE_WORDS_H
#define STOKER_SRC_BASE_WORDS_H

#include <stdbool.h>
#include <stddef.h>

#include "src/base/str.h"

/* Appends the words of s to ret. Blanks part them; quotes group, and an empty quoted word is one; a
 * backslash outside single quotes takes the next character as it is; nothing is put in the place of
 * anything. comments: an unquoted '#', within a word too, ends the line, as in #SBATCH lines. Returns
 * -EINVAL for a quote that is not closed. */
int words_split(const char *s, bool comments, struct strv *ret);
/* Appends word behind what is there so that words_split, or a shell, gets it back: in quotes where it needs
 * them. */
void words_append(struct str *line, const char *word);

/* Is word what name begins with, in any case, and of at least min letters? */
bool word_begins(const char *word, const char *name, size_t min);

/* Levenshtein's distance: how many bytes must be put in, taken out or changed. SIZE_MAX for words of 64
 * bytes and more, which are not mistyped names. */
size_t words_distance(const char *a, const char *b);

#endif
