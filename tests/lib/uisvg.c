/* uisvg.c - a canvas as a picture: the same cells, the same looks, for the documents. */
#include <stdlib.h>

#include "src/base/utf8.h"
#include "src/base/xalloc.h"
#include "tests/lib/uilab.h"

#define CELL_W 8.4
#define CELL_H 18
#define BASE   13 /* of the letters, in a cell */
#define MARGIN 10

struct paint {
    uint32_t fg, bg; /* 0xrrggbb */
    bool bold, dim, underline;
};

/* What a terminal has where nothing else is said. */
static uint32_t own(const struct theme *t, bool background)
{
    bool light = t->styles[ROLE_TAB_ON].fg == (COLOR_RGB | 0x1b1f27); /* of the light theme */
    return background ? (light ? 0xfbfbfd : 0x14171e) : light ? 0x24292f : 0xc9d0db;
}

static struct paint paint_of(const struct theme *t, const struct canvas_cell *cell)
{
    uint32_t shown;
    struct style s = canvas_look(cell, t, &shown);
    struct paint k = {.fg = s.fg ? color_rgb(s.fg) : own(t, false),
                      .bg = s.bg ? color_rgb(s.bg) : own(t, true)};
    if (s.attr & STYLE_REVERSE) {
        uint32_t fg = k.fg;
        k.fg = k.bg;
        k.bg = fg;
    }
    k.bold = s.attr & STYLE_BOLD;
    k.dim = s.attr & STYLE_DIM;
    k.underline = s.attr & STYLE_UNDERLINE;
    return k;
}

static bool same_paint(const struct paint *a, const struct paint *b)
{
    return a->fg == b->fg && a->bg == b->bg && a->bold == b->bold && a->dim == b->dim &&
           a->underline == b->underline;
}

static void put_char(struct str *out, uint32_t cp)
{
    char b[4];
    if (cp == '&' || cp == '<' || cp == '>')
        str_appendf(out, "&#%u;", cp);
    else
        str_append_n(out, b, utf8_encode(cp, b));
}

static double at_x(int x)
{
    return MARGIN + x * CELL_W;
}

static bool is_blank(const struct canvas_cell *cell)
{
    return cell->cp[0] == ' ' && !cell->cp[1];
}

/* --- lines: drawn, for letters of the row above and below do not touch --- */

#define LINE_UP    1u
#define LINE_DOWN  2u
#define LINE_LEFT  4u
#define LINE_RIGHT 8u
#define LINE_THICK 16u

/* Which of its sides a box-drawing character joins with its middle; 0: it is none. */
static unsigned line_of(const struct canvas_cell *cell)
{
    switch (cell->cp[0]) {
    case 0x2500: return LINE_LEFT | LINE_RIGHT;
    case 0x2502: return LINE_UP | LINE_DOWN;
    case 0x2503: return LINE_UP | LINE_DOWN | LINE_THICK;
    case 0x256d: return LINE_DOWN | LINE_RIGHT;
    case 0x256e: return LINE_DOWN | LINE_LEFT;
    case 0x256f: return LINE_UP | LINE_LEFT;
    case 0x2570: return LINE_UP | LINE_RIGHT;
    default: return 0;
    }
}

/* One line; level ones as far as they go. Returns the cell behind it. */
static int put_line(const struct canvas *c, int y, int x, int end, const struct paint *k, struct str *out)
{
    unsigned line = line_of(canvas_at(c, y, x));
    double left = at_x(x), middle = left + CELL_W / 2;
    int top = MARGIN + y * CELL_H, stop = x + 1;
    while (line == (LINE_LEFT | LINE_RIGHT) && stop < end && line_of(canvas_at(c, y, stop)) == line)
        stop++;
    str_appendf(out, "<path fill=\"none\" stroke=\"#%06x\"%s%s d=\"", k->fg,
                line & LINE_THICK || k->bold ? " stroke-width=\"2\"" : "",
                k->dim ? " opacity=\"0.62\"" : "");
    if (line == (LINE_LEFT | LINE_RIGHT))
        str_appendf(out, "M%.1f %dH%.1f", left, top + CELL_H / 2, at_x(stop));
    else if (!(line & (LINE_LEFT | LINE_RIGHT)))
        str_appendf(out, "M%.1f %dv%d", middle, top, CELL_H);
    else
        str_appendf(out, "M%.1f %dQ%.1f %d %.1f %d", middle, line & LINE_UP ? top : top + CELL_H, middle,
                    top + CELL_H / 2, line & LINE_LEFT ? left : left + CELL_W, top + CELL_H / 2);
    str_append(out, "\"/>\n");
    return stop;
}

/* --- blocks: drawn, for fonts leave gaps between them --- */

static bool is_block(const struct canvas_cell *cell)
{
    return cell->cp[0] >= 0x2581 && cell->cp[0] <= 0x258f;
}

/* Eighths from below, then from the left. */
static int put_block(const struct canvas *c, int y, int x, const struct paint *k, struct str *out)
{
    uint32_t cp = canvas_at(c, y, x)->cp[0];
    double h = cp <= 0x2588 ? (cp - 0x2580) / 8.0 : 1, w = cp > 0x2588 ? (0x2590 - cp) / 8.0 : 1;
    str_appendf(out, "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" fill=\"#%06x\"/>\n",
                at_x(x), MARGIN + (y + 1 - h) * CELL_H, w * CELL_W, h * CELL_H, k->fg);
    return x + 1;
}

/* One word: each stands at its own place, for fonts do not agree on the width of a blank; a wide character
 * stands alone. */
static int put_word(const struct canvas *c, int y, int x, int end, const struct paint *k, struct str *out)
{
    int stop = x + 1;
    if (canvas_at(c, y, x)->width == 2)
        stop = x + 2;
    else
        while (stop < end && canvas_at(c, y, stop)->width == 1 && !is_blank(canvas_at(c, y, stop)) &&
               !line_of(canvas_at(c, y, stop)) && !is_block(canvas_at(c, y, stop)))
            stop++;
    str_appendf(out, "<text x=\"%.1f\" y=\"%d\" textLength=\"%.1f\" fill=\"#%06x\"%s%s>", at_x(x),
                MARGIN + y * CELL_H + BASE, (stop - x) * CELL_W, k->fg,
                k->bold ? " font-weight=\"bold\"" : "", k->dim ? " opacity=\"0.62\"" : "");
    for (int i = x; i < stop; i++)
        for (int m = 0; canvas_at(c, y, i)->width && m < 1 + CELL_MARKS && canvas_at(c, y, i)->cp[m]; m++)
            put_char(out, canvas_at(c, y, i)->cp[m]);
    str_append(out, "</text>\n");
    return stop;
}

/* Cells x..end of row y, which have the same ink. */
static void put_run(const struct canvas *c, int y, int x, int end, const struct paint *k, struct str *out)
{
    if (k->underline)
        str_appendf(
            out, "<rect x=\"%.1f\" y=\"%d\" width=\"%.1f\" height=\"1\" fill=\"#%06x\" opacity=\"0.6\"/>\n",
            at_x(x), MARGIN + y * CELL_H + CELL_H - 2, (end - x) * CELL_W, k->fg);
    while (x < end)
        x = is_blank(canvas_at(c, y, x))   ? x + 1
            : line_of(canvas_at(c, y, x))  ? put_line(c, y, x, end, k, out)
            : is_block(canvas_at(c, y, x)) ? put_block(c, y, x, k, out)
                                           : put_word(c, y, x, end, k, out);
}

/* What is behind row y: cells of one background are one box, or their edges would show. */
static void put_backgrounds(const struct canvas *c, const struct theme *t, int y, struct str *out)
{
    for (int x = 0, end; x < c->cols; x = end) {
        uint32_t bg = paint_of(t, canvas_at(c, y, x)).bg;
        for (end = x + 1; end < c->cols && paint_of(t, canvas_at(c, y, end)).bg == bg;)
            end++;
        if (bg != own(t, true))
            str_appendf(out, "<rect x=\"%.1f\" y=\"%d\" width=\"%.1f\" height=\"%d\" fill=\"#%06x\"/>\n",
                        at_x(x), MARGIN + y * CELL_H, (end - x) * CELL_W, CELL_H, bg);
    }
}

/* The same with what a terminal of that theme shows in each cell. */
static struct canvas shown_canvas(const struct canvas *c, const struct theme *t)
{
    struct canvas shown = *c;
    size_t n = (size_t)(c->rows * c->cols);
    shown.cells = xmemdup(c->cells, n * sizeof *c->cells);
    for (size_t i = 0; i < n; i++)
        canvas_look(&c->cells[i], t, &shown.cells[i].cp[0]);
    return shown;
}

void canvas_to_svg(const struct canvas *drawn, const struct theme *t, struct str *out)
{
    struct canvas shown = shown_canvas(drawn, t), *c = &shown;
    double w = 2 * MARGIN + c->cols * CELL_W;
    int h = 2 * MARGIN + c->rows * CELL_H;
    str_appendf(
        out,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%.0f\" height=\"%d\" viewBox=\"0 0 %.0f %d\" "
        "font-family=\"'DejaVu Sans Mono', 'Liberation Mono', Menlo, Consolas, monospace\" "
        "font-size=\"14\">\n",
        w, h, w, h);
    str_appendf(out, "<rect width=\"100%%\" height=\"100%%\" rx=\"6\" fill=\"#%06x\"/>\n", own(t, true));
    for (int y = 0; y < c->rows; y++) {
        put_backgrounds(c, t, y, out);
        for (int x = 0, end; x < c->cols; x = end) {
            struct paint k = paint_of(t, canvas_at(c, y, x));
            for (end = x + 1; end < c->cols; end++) {
                struct paint next = paint_of(t, canvas_at(c, y, end));
                if (!same_paint(&k, &next))
                    break;
            }
            put_run(c, y, x, end, &k, out);
        }
    }
    str_append(out, "</svg>\n");
    free(shown.cells);
}
