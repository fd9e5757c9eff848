/* uisvg.c - a canvas as a picture: the same cells, the same looks, for the documents. */
#include "src/base/utf8.h"
#include "tests/lib/uilab.h"

#define CELL_W 8.4
#define CELL_H 18
#define BASE   13 /* of the letters, in a cell */
#define MARGIN 10

/* What the sixteen colours are on many terminals; the last two: text and background. */
static const char *const rgb[18] = {
    "#2e3440", "#e06c75", "#98c379", "#e5c07b", "#61afef", "#c678dd", "#56b6c2", "#d8dee9", "#5c6370",
    "#ff7b86", "#b5e890", "#ffd68a", "#82c4ff", "#de9cf0", "#7fd7e2", "#ffffff", "#d8dee9", "#1b1f27",
};

struct paint {
    const char *fg, *bg;
    bool bold, dim, underline;
};

static struct paint paint_of(const struct theme *t, const struct canvas_cell *cell)
{
    struct style s = theme_ink(t, (enum role)cell->role, (enum role)cell->over, cell->ink);
    struct paint k = {.fg = rgb[s.fg < 0 ? 16 : s.fg], .bg = rgb[s.bg < 0 ? 17 : s.bg]};
    if (s.attr & STYLE_REVERSE) {
        const char *fg = k.fg;
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
    str_appendf(out, "<path fill=\"none\" stroke=\"%s\"%s%s d=\"", k->fg,
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

/* One word: each stands at its own place, for fonts do not agree on the width of a blank; a wide character
 * stands alone. */
static int put_word(const struct canvas *c, int y, int x, int end, const struct paint *k, struct str *out)
{
    int stop = x + 1;
    if (canvas_at(c, y, x)->width == 2)
        stop = x + 2;
    else
        while (stop < end && canvas_at(c, y, stop)->width == 1 && !is_blank(canvas_at(c, y, stop)) &&
               !line_of(canvas_at(c, y, stop)))
            stop++;
    str_appendf(out, "<text x=\"%.1f\" y=\"%d\" textLength=\"%.1f\" fill=\"%s\"%s%s>", at_x(x),
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
        str_appendf(out,
                    "<rect x=\"%.1f\" y=\"%d\" width=\"%.1f\" height=\"1\" fill=\"%s\" opacity=\"0.6\"/>\n",
                    at_x(x), MARGIN + y * CELL_H + CELL_H - 2, (end - x) * CELL_W, k->fg);
    while (x < end)
        x = is_blank(canvas_at(c, y, x))  ? x + 1
            : line_of(canvas_at(c, y, x)) ? put_line(c, y, x, end, k, out)
                                          : put_word(c, y, x, end, k, out);
}

/* What is behind row y: cells of one background are one box, or their edges would show. */
static void put_backgrounds(const struct canvas *c, const struct theme *t, int y, struct str *out)
{
    for (int x = 0, end; x < c->cols; x = end) {
        const char *bg = paint_of(t, canvas_at(c, y, x)).bg;
        for (end = x + 1; end < c->cols && paint_of(t, canvas_at(c, y, end)).bg == bg;)
            end++;
        if (bg != rgb[17])
            str_appendf(out, "<rect x=\"%.1f\" y=\"%d\" width=\"%.1f\" height=\"%d\" fill=\"%s\"/>\n",
                        at_x(x), MARGIN + y * CELL_H, (end - x) * CELL_W, CELL_H, bg);
    }
}

void canvas_to_svg(const struct canvas *c, const struct theme *t, struct str *out)
{
    double w = 2 * MARGIN + c->cols * CELL_W;
    int h = 2 * MARGIN + c->rows * CELL_H;
    str_appendf(
        out,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%.0f\" height=\"%d\" viewBox=\"0 0 %.0f %d\" "
        "font-family=\"'DejaVu Sans Mono', 'Liberation Mono', Menlo, Consolas, monospace\" "
        "font-size=\"14\">\n",
        w, h, w, h);
    str_appendf(out, "<rect width=\"100%%\" height=\"100%%\" rx=\"6\" fill=\"%s\"/>\n", rgb[17]);
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
}
