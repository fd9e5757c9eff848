/* canvas.h - a picture of the screen: cells with text and roles. Views and widgets draw here and nowhere
 * else.
 *
 * The canvas knows no terminal: the frame hands it to ui/term/term.h, a test reads it back. Text from
 * outside passes through cell_text on its way in, so no control character and no broken character reaches a
 * terminal; wide characters keep their two cells and are never cut in half.
 */
#ifndef UI_TERM_CANVAS_H
#define UI_TERM_CANVAS_H

#include <stdbool.h>
#include <stdint.h>

#include "src/base/str.h"
#include "ui/layout/rect.h"
#include "ui/theme/theme.h"

#define CELL_MARKS 4

struct canvas_cell {
    uint32_t cp[1 + CELL_MARKS]; /* the character and its combining marks, ends with 0 */
    uint8_t width;               /* 1, 2, or 0: the right half of the wide one before it */
    uint8_t role, over;          /* enum role; over: ROLE_NORMAL for none */
    uint8_t fill;                /* of a bar: the role whose colour is its background; ROLE_NORMAL: none */
    uint8_t pale;                /* percent of that colour that the track's stands for */
    uint8_t unused[3];
    struct style ink; /* cells are compared byte by byte: no gaps */
};

struct canvas {
    struct canvas_cell *cells; /* rows x cols */
    int rows, cols;
    struct rect clip; /* nothing is drawn outside */
    bool ascii;       /* '?' and plain signs instead of everything beyond ASCII */
    int cur_y, cur_x; /* the terminal's cursor; -1: hidden */
    enum role fill;   /* of what is drawn; see canvas_fill_with */
    int pale;         /* of it as well; see canvas_fill_pale */
    struct str text;  /* scratch */
};

/* Signs that are drawn alone: X(enum member, Unicode); ui/term/signs.h has their plain forms. */
/* clang-format off */
#define GLYPHS(X) \
    X(HLINE, "\u2500")        X(VLINE, "\u2502") \
    X(TOP_LEFT, "\u256d")     X(TOP_RIGHT, "\u256e") \
    X(BOTTOM_LEFT, "\u2570")  X(BOTTOM_RIGHT, "\u256f") \
    X(OPEN, "\u25be")         X(CLOSED, "\u25b8") \
    X(BRANCH, "\u251c")       X(LAST, "\u2514") \
    X(MARK, "\u25cf")         X(UP, "\u25b2") \
    X(DOWN, "\u25bc")         X(GPU_BUSY, "\u25a0") \
    X(GPU_IDLE, "\u25a1")     X(FREE, "\u00b7") \
    X(DOT, "\u00b7")          X(THUMB, "\u2503") \
    X(CUT, "\u2026")          X(WATCHED, "\u25c6")
/* clang-format on */

enum glyph {
#define X(name, utf8) GLYPH_##name,
    GLYPHS(X)
#undef X
        GLYPH_N
};

const char *glyph_text(enum glyph g);

void canvas_init(struct canvas *c);
void canvas_fini(struct canvas *c);
/* Makes it rows x cols, blank, without a clip. */
void canvas_resize(struct canvas *c, int rows, int cols);
void canvas_clear(struct canvas *c);
/* Narrows the clip to what it has in common with r; returns the old clip, to be put back with
 * canvas_unclip. */
struct rect canvas_clip(struct canvas *c, struct rect r);
void canvas_unclip(struct canvas *c, struct rect old);

/* Draws s at y, x in at most max cells (max < 0: as many as it takes), with a mark where it was cut.
 * Returns the cells used. */
int canvas_text(struct canvas *c, int y, int x, enum role role, const char *s, int max);
int canvas_printf(struct canvas *c, int y, int x, enum role role, int max, const char *fmt, ...)
    __attribute__((format(printf, 6, 7)));
int canvas_glyph(struct canvas *c, int y, int x, enum role role, enum glyph g);
/* The next texts are drawn as parts of a bar: on the colour of that role; ROLE_NORMAL: as usual. */
void canvas_fill_with(struct canvas *c, enum role fill);
/* The same with pale percent of the colour of the track, from 0 to 100, in that of the role. An end of a
 * bar, which no bar follows, is as pale. On a terminal with few colours characters are seen instead. With
 * ROLE_NORMAL the texts are paler themselves, and shades become squares where that can be seen. */
void canvas_fill_pale(struct canvas *c, enum role fill, int pale);
/* Blank cells of that role. */
void canvas_fill(struct canvas *c, struct rect r, enum role role);
void canvas_hline(struct canvas *c, int y, int x, int w, enum role role);
void canvas_vline(struct canvas *c, int y, int x, int h, enum role role);
/* Lays a role over what is there: the cursor's row, a match. */
void canvas_over(struct canvas *c, struct rect r, enum role over);
/* Colours what is there with a program's own ink. */
void canvas_ink(struct canvas *c, struct rect r, struct style ink);
/* A frame around r with a title in its upper edge; NULL: none. */
void canvas_frame(struct canvas *c, struct rect r, enum role role, const char *title);
/* A scroll bar in the column x: what part of n things beginning at top are seen. No-op where all are. */
void canvas_scrollbar(struct canvas *c, int y, int x, int h, long long top, long long seen, long long n);

/* The look of a cell, and what stands in it: where the theme has a colour for what a bar is filled with, a
 * blank of that colour is shown in place of the character that says so without colours. */
struct style canvas_look(const struct canvas_cell *cell, const struct theme *t, uint32_t *ret_char);

const struct canvas_cell *canvas_at(const struct canvas *c, int y, int x);
/* One row as text, without blanks at its end. */
void canvas_row_text(const struct canvas *c, int y, struct str *out);

#endif
