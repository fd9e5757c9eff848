/* term_paint.c - pictures as bytes for a terminal. */
#include "ui/term/term_paint.h"

#include <curses.h>
#include <string.h>
#include <term.h>

#include "src/base/utf8.h"

#define BLANKS_MIN 4 /* this many at the end of a line are cheaper to clear than to send */

void painter_init(struct term_painter *p, const struct term_caps *caps)
{
    *p = (struct term_painter){.caps = caps};
    canvas_init(&p->last);
    str_init(&p->out);
    painter_forget(p);
}

void painter_fini(struct term_painter *p)
{
    canvas_fini(&p->last);
    str_fini(&p->out);
}

void painter_forget(struct term_painter *p)
{
    p->last.rows = p->last.cols = 0;
    p->y = p->visible = -1;
    p->set = false;
}

static void painter_move(struct term_painter *p, int y, int x)
{
    if (p->y == y && p->x == x)
        return;
    caps_append(&p->out, tparm(p->caps->move, y, x, 0, 0, 0, 0, 0, 0, 0));
    p->y = y;
    p->x = x;
}

/* --- looks --- */

static void painter_color(struct term_painter *p, uint32_t color, bool background)
{
    int n = background ? 48 : 38;
    if (!color)
        return;
    if (color & COLOR_RGB)
        str_appendf(&p->out, "\033[%d;2;%u;%u;%um", n, color >> 16 & 0xff, color >> 8 & 0xff, color & 0xff);
    else if (p->caps->direct)
        str_appendf(&p->out, "\033[%d;5;%um", n, color - 1);
    else
        caps_append(&p->out,
                    tparm(background ? p->caps->bg : p->caps->fg, (int)color - 1, 0, 0, 0, 0, 0, 0, 0, 0));
}

static void painter_style(struct term_painter *p, struct style s)
{
    if (p->set && memcmp(&p->style, &s, sizeof s) == 0)
        return;
    caps_append(&p->out, p->caps->plain);
    if (s.attr & STYLE_BOLD)
        caps_append(&p->out, p->caps->bold);
    if (s.attr & STYLE_DIM)
        caps_append(&p->out, p->caps->dim);
    if (s.attr & STYLE_UNDERLINE)
        caps_append(&p->out, p->caps->underline);
    if (s.attr & STYLE_REVERSE)
        caps_append(&p->out, p->caps->reverse);
    painter_color(p, s.fg, false);
    painter_color(p, s.bg, true);
    p->style = s;
    p->set = true;
}

/* --- cells --- */

static void painter_cell(struct term_painter *p, const struct canvas_cell *cell, const struct theme *theme)
{
    uint32_t first;
    struct style s = canvas_look(cell, theme, &first);
    painter_style(p, s);
    for (int i = 0; i < 1 + CELL_MARKS && cell->cp[i]; i++) {
        char b[4];
        str_append_n(&p->out, b, utf8_encode(i ? cell->cp[i] : first, b));
    }
    p->x += cell->width;
}

static bool is_plain_blank(const struct canvas_cell *cell, const struct theme *theme)
{
    uint32_t c;
    struct style s = canvas_look(cell, theme, &c);
    return c == ' ' && !cell->cp[1] && !s.bg && !(s.attr & (STYLE_UNDERLINE | STYLE_REVERSE));
}

/* The first cell behind which all are blank. */
static int blank_from(const struct canvas *c, const struct theme *theme, int y)
{
    int x = c->cols;
    while (x > 0 && is_plain_blank(canvas_at(c, y, x - 1), theme))
        x--;
    return x;
}

static bool same_cell(const struct term_painter *p, const struct canvas *c, int y, int x)
{
    return p->last.rows &&
           memcmp(canvas_at(c, y, x), canvas_at(&p->last, y, x), sizeof(struct canvas_cell)) == 0;
}

/* A wide character and its other half go together. */
static bool same_char(const struct term_painter *p, const struct canvas *c, int y, int x)
{
    return same_cell(p, c, y, x) && (canvas_at(c, y, x)->width != 2 || same_cell(p, c, y, x + 1));
}

static void painter_row(struct term_painter *p, const struct canvas *c, const struct theme *theme, int y)
{
    int end = blank_from(c, theme, y);
    for (int x = 0; x < c->cols; x += canvas_at(c, y, x)->width == 2 ? 2 : 1) {
        if (same_char(p, c, y, x) || (!p->caps->keeps_corner && y == c->rows - 1 && x == c->cols - 1))
            continue;
        painter_move(p, y, x);
        if (x >= end && c->cols - x >= BLANKS_MIN && p->caps->clear_line) {
            painter_style(p, (struct style){0});
            caps_append(&p->out, p->caps->clear_line);
            return;
        }
        painter_cell(p, canvas_at(c, y, x), theme);
        if (p->x >= c->cols) /* some wrap at once, others with the next character */
            p->y = -1;
    }
}

static bool same_row(const struct canvas *a, const struct canvas *b, int y)
{
    return memcmp(canvas_at(a, y, 0), canvas_at(b, y, 0), (size_t)a->cols * sizeof(struct canvas_cell)) ==
           0;
}

static void painter_cursor(struct term_painter *p, const struct canvas *c)
{
    int visible = c->cur_y >= 0 && c->cur_y < c->rows && c->cur_x >= 0 && c->cur_x < c->cols;
    if (visible)
        painter_move(p, c->cur_y, c->cur_x);
    if (visible != p->visible)
        caps_append(&p->out, visible ? p->caps->show : p->caps->hide);
    p->visible = visible;
}

void painter_show(struct term_painter *p, const struct canvas *c, const struct theme *theme)
{
    if (p->last.rows != c->rows || p->last.cols != c->cols) {
        painter_forget(p);
        painter_style(p, (struct style){0});
        caps_append(&p->out, p->caps->clear);
        canvas_resize(&p->last, c->rows, c->cols);
        memset(p->last.cells, 0, (size_t)(c->rows * c->cols) * sizeof *p->last.cells); /* like no other */
    }
    for (int y = 0; y < c->rows; y++)
        if (!same_row(c, &p->last, y)) {
            painter_row(p, c, theme, y);
            memcpy(&p->last.cells[y * c->cols], &c->cells[y * c->cols],
                   (size_t)c->cols * sizeof(struct canvas_cell));
        }
    painter_cursor(p, c);
}
