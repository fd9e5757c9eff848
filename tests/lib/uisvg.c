/* uisvg.c - a canvas as a picture: the same cells, the same looks, for the documents. */
#include <stdlib.h>
#include <string.h>

#include "src/base/utf8.h"
#include "src/base/xalloc.h"
#include "tests/lib/film.h"
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

/* --- Braille: drawn, for fonts do not have it in the width of their letters --- */

#define DOT 1.7

static bool is_braille(const struct canvas_cell *cell)
{
    return cell->cp[0] > 0x2800 && cell->cp[0] <= 0x28ff;
}

/* A run of cells with dots. Returns the cell behind it. */
static int put_braille(const struct canvas *c, int y, int x, int end, const struct paint *k,
                       struct str *out)
{
    static const struct {
        int x, y;
    } dots[] = {{0, 0}, {0, 1}, {0, 2}, {1, 0}, {1, 1}, {1, 2}, {0, 3}, {1, 3}};
    str_appendf(out, "<path stroke=\"#%06x\" stroke-width=\"%.1f\" stroke-linecap=\"round\" d=\"", k->fg,
                DOT);
    for (; x < end && is_braille(canvas_at(c, y, x)); x++)
        for (size_t i = 0; i < 8; i++)
            if (canvas_at(c, y, x)->cp[0] >> i & 1)
                str_appendf(out, "M%.1f %.1fh0", at_x(x) + CELL_W / 4 + dots[i].x * CELL_W / 2,
                            MARGIN + y * CELL_H + CELL_H / 8.0 + dots[i].y * CELL_H / 4.0);
    str_append(out, "\"/>\n");
    return x;
}

/* A sign that many fonts take from another font, whose letters have another width. */
static bool is_sign(const struct canvas_cell *cell)
{
    return cell->width == 1 && cell->cp[0] >= 0x2016;
}

/* One word: each stands at its own place, for fonts do not agree on the width of a blank; a wide character
 * stands alone. */
static int put_word(const struct canvas *c, int y, int x, int end, const struct paint *k, struct str *out)
{
    int stop = x + 1;
    bool sign = is_sign(canvas_at(c, y, x));
    if (canvas_at(c, y, x)->width == 2)
        stop = x + 2;
    else
        while (!sign && stop < end && canvas_at(c, y, stop)->width == 1 &&
               !is_blank(canvas_at(c, y, stop)) && !is_sign(canvas_at(c, y, stop)))
            stop++;
    str_appendf(out, "<text x=\"%.1f\" y=\"%d\" textLength=\"%.1f\"%s fill=\"#%06x\"%s%s>", at_x(x),
                MARGIN + y * CELL_H + BASE, (stop - x) * CELL_W,
                sign ? " lengthAdjust=\"spacingAndGlyphs\"" : "", k->fg,
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
        x = is_blank(canvas_at(c, y, x))     ? x + 1
            : line_of(canvas_at(c, y, x))    ? put_line(c, y, x, end, k, out)
            : is_block(canvas_at(c, y, x))   ? put_block(c, y, x, k, out)
            : is_braille(canvas_at(c, y, x)) ? put_braille(c, y, x, end, k, out)
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

static void put_row(const struct canvas *c, const struct theme *t, int y, struct str *out)
{
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

static void put_head(int rows, int cols, const struct theme *t, struct str *out)
{
    double w = 2 * MARGIN + cols * CELL_W;
    int h = 2 * MARGIN + rows * CELL_H;
    str_appendf(
        out,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%.0f\" height=\"%d\" viewBox=\"0 0 %.0f %d\" "
        "font-family=\"'DejaVu Sans Mono', 'Liberation Mono', Menlo, Consolas, monospace\" "
        "font-size=\"14\">\n",
        w, h, w, h);
    /* Boxes that touch show no seam. */
    str_append(out, "<style>rect:not([rx]){shape-rendering:crispEdges}</style>\n");
    str_appendf(out, "<rect width=\"100%%\" height=\"100%%\" rx=\"6\" fill=\"#%06x\"/>\n", own(t, true));
}

void canvas_to_svg(const struct canvas *drawn, const struct theme *t, struct str *out)
{
    struct canvas shown = shown_canvas(drawn, t), *c = &shown;
    put_head(c->rows, c->cols, t, out);
    for (int y = 0; y < c->rows; y++)
        put_row(c, t, y, out);
    str_append(out, "</svg>\n");
    free(shown.cells);
}

/* --- a film: each different row once, and the frames made of them --- */

void film_init(struct film *f, int rows, int cols, const struct theme *t)
{
    *f = (struct film){.rows = rows, .cols = cols, .theme = t};
}

void film_fini(struct film *f)
{
    vec_for_each (&f->different, i)
        free(f->different.v[i]);
    vec_for_each (&f->frames, i)
        free(f->frames.v[i].rows);
    vec_fini(&f->different);
    vec_fini(&f->frames);
}

/* The number of the row with that picture. */
static uint32_t film_row(struct film *f, struct str *take_row)
{
    uint32_t i = 0;
    while (i < f->different.n && !str_eq(f->different.v[i], take_row->s ? take_row->s : ""))
        i++;
    if (i == f->different.n)
        vec_push(&f->different, xstrdup(take_row->s ? take_row->s : ""));
    str_fini(take_row);
    return i;
}

void film_add(struct film *f, const struct canvas *drawn, uint32_t ms)
{
    struct film_frame frame = {.ms = ms, .rows = xcalloc((size_t)f->rows, sizeof *frame.rows)};
    struct canvas shown = shown_canvas(drawn, f->theme);
    for (int y = 0; y < f->rows; y++) {
        struct canvas row = shown;
        struct str out = STR_INIT;
        row.cells += y * shown.cols;
        row.rows = 1;
        put_row(&row, f->theme, 0, &out);
        frame.rows[y] = film_row(f, &out);
    }
    free(shown.cells);
    struct film_frame *last = f->frames.n ? &f->frames.v[f->frames.n - 1] : NULL;
    if (last && memcmp(last->rows, frame.rows, (size_t)f->rows * sizeof *frame.rows) == 0) {
        last->ms += ms;
        free(frame.rows);
    } else {
        vec_push(&f->frames, frame);
    }
}

/* The frames lie side by side and are moved past the window, one at a time. */
void film_to_svg(const struct film *f, struct str *out)
{
    double width = 2 * MARGIN + f->cols * CELL_W;
    uint64_t total = 0, at = 0;
    vec_for_each (&f->frames, i)
        total += f->frames.v[i].ms;
    put_head(f->rows, f->cols, f->theme, out);
    str_appendf(out, "<style>#film{animation:film %.1fs steps(1,end) infinite}@keyframes film{",
                (double)total / 1000);
    vec_for_each (&f->frames, i) {
        str_appendf(out, "%.3f%%{transform:translateX(%.0fpx)}", 100.0 * (double)at / (double)total,
                    -(double)i * width);
        at += f->frames.v[i].ms;
    }
    str_append(out, "}</style>\n<defs>\n");
    vec_for_each (&f->different, i)
        if (*f->different.v[i])
            str_appendf(out, "<g id=\"r%zu\">\n%s</g>\n", i, f->different.v[i]);
    str_append(out, "</defs>\n<g id=\"film\">\n");
    vec_for_each (&f->frames, i) {
        str_appendf(out, "<g transform=\"translate(%.0f)\">", (double)i * width);
        for (int y = 0; y < f->rows; y++)
            if (*f->different.v[f->frames.v[i].rows[y]])
                str_appendf(out, "<use href=\"#r%u\" y=\"%d\"/>", f->frames.v[i].rows[y], y * CELL_H);
        str_append(out, "</g>\n");
    }
    str_append(out, "</g>\n</svg>\n");
}
