/* utf8.h - text from outside: validated on the way in, made printable on the way out. */
#ifndef STOKER_BASE_UTF8_H
#define STOKER_BASE_UTF8_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "src/base/str.h"

/* Decodes one code point of at most n bytes. Returns its length in bytes; 0 where the bytes are not UTF-8
 * (overlong forms, surrogates and values above U+10FFFF are not). */
size_t utf8_decode(const char *s, size_t n, uint32_t *ret_cp);
size_t utf8_encode(uint32_t cp, char out[static 4]);
bool utf8_is_valid(const char *s, size_t n);

/* Where in s the code point before the one at `at` begins (0 at the beginning), and the one after it (len
 * at the end). */
size_t utf8_before(const char *s, size_t at);
size_t utf8_after(const char *s, size_t len, size_t at);

/* Cells on a terminal: 0 combining and zero-width, 1, or 2 wide; -1 not printable (controls). Own table
 * (Unicode 15), so that it does not depend on the locale. */
int utf8_width(uint32_t cp);

/* True for what may stand in a name: valid, printable, no control, bidi control, zero-width or NUL; at most
 * max_bytes. */
bool utf8_is_clean_name(const char *s, size_t max_bytes);

/* Makes a text of a peer harmless before it is kept, in place: '?' for each byte or code point that moves
 * the cursor, ends a line or shows nothing; at most max_bytes of it, cut between two characters. */
void utf8_clean(char *s, size_t max_bytes);

/* The one filter between foreign text and a terminal: appends s to out with everything that is not
 * printable escaped (\n \t \xHH \u{202E}), combining marks capped at 4 per cell, and cut to max_cells cells
 * ("…" or
 * "+" marks a cut when mark_cut). max_cells < 0: no cut. Returns the cells written. A wide character never
 * straddles the cut. ascii: '?' for everything beyond ASCII. */
int cell_text(struct str *out, const char *s, int max_cells, bool mark_cut, bool ascii);

/* Cells that s would take after cell_text without a cut. */
int cell_width(const char *s);

#endif
