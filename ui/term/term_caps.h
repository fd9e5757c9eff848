/* term_caps.h - what this terminal can do, decided once: colours and characters.
 *
 *     colours   NO_COLOR is the caller's; then COLORTERM, the terminal's description (RGB, Tc, colors)
 *     Unicode   LC_ALL, LC_CTYPE or LANG say UTF-8, and the terminal is none that lacks the characters
 */
#ifndef UI_TERM_TERM_CAPS_H
#define UI_TERM_TERM_CAPS_H

#include <stdbool.h>

#include "src/base/err.h"
#include "src/base/str.h"

/* What a kind of terminal can do: texts of its description (terminfo), NULL where it has none. */
struct term_caps {
    int colors;        /* 0, 8, 16, 256 or COLORS_TRUE */
    bool direct;       /* its own numbers of colours are not those of the palette */
    bool keeps_corner; /* a character in the last cell does not scroll the screen */
    const char *move, *clear, *clear_line, *plain, *bold, *dim, *underline, *reverse, *fg, *bg, *show,
        *hide;
};

/* Reads the description of the terminal that TERM names. Errors: -ENODEV: it is not known, or its cursor
 * cannot be moved. */
int caps_read(struct term_caps *c, struct errtext *err) __attribute__((warn_unused_result));
/* After caps_read: a text, a number of the description; NULL, -1: it has none. */
const char *caps_text(const char *name);
int caps_number(const char *name);
/* Appends a text of the description without what it says about waiting; NULL: nothing. */
void caps_append(struct str *out, const char *text);

/* Colours by the environment and by the description: number (-1: none), direct where numbers are not those
 * of a palette, rgb where it says that it takes any colour. Pure but for the environment. */
int caps_colors(int number, bool rgb);

/* Sets the locale of the environment; where it names UTF-8 and is not installed, which is usual over SSH,
 * C.UTF-8. */
void caps_set_locale(void);
/* Only ASCII may be sent: the locale is not of UTF-8, or the terminal has no font for more. */
bool caps_is_ascii(void);

#endif
