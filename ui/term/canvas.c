/* canvas.c - a picture of the screen. */
#include "ui/term/canvas.h"

#include <stdlib.h>
#include <string.h>

#include "src/base/err.h"
#include "src/base/utf8.h"
#include "src/base/xalloc.h"
#include "ui/term/signs.h"

const char *glyph_text(enum glyph g)
{
    static const char *const texts[GLYPH_N] = {
#define X(name, utf8) [GLYPH_##name] = utf8,
        GLYPHS(X)
#undef X
    };
    bug_on((unsigned)g >= GLYPH_N);
    return texts[g];
}

void canvas_init(struct canvas *c)
{
    *c = (struct canvas){.cur_y = -1, .cur_x = -1};
    str_init(&c->text);
}

void canvas_fini(struct canvas *c)
{
    free(c->cells);
    str_fini(&c->text);
    *c = (struct canvas){0};
}

void canvas_resize(struct canvas *c, int rows, int cols)
{
    if (rows < 1)
        rows = 1;
    if (cols < 1)
        cols = 1;
    if (rows != c->rows || cols != c->cols) {
        c->rows = rows;
        c->cols = cols;
        free(c->cells);
        c->cells = xcalloc((size_t)rows * (size_t)cols, sizeof *c->cells);
    }
    canvas_clear(c);
}

static struct canvas_cell *cell_at(struct canvas *c, int y, int x)
{
    return &c->cells[(size_t)y * (size_t)c->cols + (size_t)x];
}

const struct canvas_cell *canvas_at(const struct canvas *c, int y, int x)
{
    bug_on(y < 0 || y >= c->rows || x < 0 || x >= c->cols);
    return &c->cells[(size_t)y * (size_t)c->cols + (size_t)x];
}

static void cell_blank(struct canvas_cell *cell, enum role role)
{
    *cell = (struct canvas_cell){.cp = {' '}, .width = 1, .role = (uint8_t)role};
}

void canvas_clear(struct canvas *c)
{
    c->clip = rect_make(0, 0, c->rows, c->cols);
    c->cur_y = c->cur_x = -1;
    canvas_fill_with(c, ROLE_NORMAL);
    for (int i = 0; i < c->rows * c->cols; i++)
        cell_blank(&c->cells[i], ROLE_NORMAL);
}

struct rect canvas_clip(struct canvas *c, struct rect r)
{
    struct rect old = c->clip;
    c->clip = rect_cut(old, r);
    return old;
}

void canvas_unclip(struct canvas *c, struct rect old)
{
    c->clip = old;
}

/* Writing over one half of a wide character blanks the other. */
static void break_wide(struct canvas *c, int y, int x)
{
    struct canvas_cell *cell = cell_at(c, y, x);
    if (cell->width == 0 && x > 0)
        cell_blank(cell_at(c, y, x - 1), (enum role)cell->role);
    if (cell->width == 2 && x + 1 < c->cols)
        cell_blank(cell_at(c, y, x + 1), (enum role)cell->role);
}

static void canvas_put(struct canvas *c, int y, int x, enum role role, uint32_t cp, int width)
{
    if (!rect_has(c->clip, y, x))
        return;
    if (width == 2 && !rect_has(c->clip, y, x + 1)) {
        cp = ' ';
        width = 1;
    }
    break_wide(c, y, x);
    struct canvas_cell *cell = cell_at(c, y, x);
    cell_blank(cell, role);
    cell->cp[0] = cp;
    cell->fill = (uint8_t)c->fill;
    cell->pale = (uint8_t)c->pale;
    cell->width = (uint8_t)width;
    if (width == 2) {
        break_wide(c, y, x + 1);
        cell_blank(cell_at(c, y, x + 1), role);
        cell_at(c, y, x + 1)->width = 0;
        cell_at(c, y, x + 1)->fill = (uint8_t)c->fill;
        cell_at(c, y, x + 1)->pale = (uint8_t)c->pale;
    }
}

/* A combining mark joins the character before it. */
static void put_mark(struct canvas *c, int y, int x, uint32_t cp)
{
    if (!rect_has(c->clip, y, x))
        return;
    struct canvas_cell *cell = cell_at(c, y, x);
    if (cell->width == 0 && x > 0)
        cell = cell_at(c, y, x - 1);
    for (int i = 1; i < 1 + CELL_MARKS; i++)
        if (!cell->cp[i]) {
            cell->cp[i] = cp;
            return;
        }
}

int canvas_text(struct canvas *c, int y, int x, enum role role, const char *s, int max)
{
    if (max == 0 || !s)
        return 0;
    struct str plain = STR_INIT;
    if (c->ascii)
        signs_to_ascii(&plain, s, role);
    str_clear(&c->text);
    int used = cell_text(&c->text, c->ascii ? plain.s : s, max, true, c->ascii), at = x;
    str_fini(&plain);
    for (size_t i = 0, len; i < c->text.len; i += len) {
        uint32_t cp;
        len = utf8_decode(c->text.s + i, c->text.len - i, &cp);
        bug_on(!len); /* cell_text gives only whole characters */
        int width = utf8_width(cp);
        if (width > 0)
            canvas_put(c, y, at, role, cp, width);
        else if (at > x)
            put_mark(c, y, at - 1, cp);
        at += width > 0 ? width : 0;
    }
    return used;
}

int canvas_printf(struct canvas *c, int y, int x, enum role role, int max, const char *fmt, ...)
{
    struct str s = STR_INIT;
    va_list ap;
    va_start(ap, fmt);
    str_vappendf(&s, fmt, ap);
    va_end(ap);
    int used = canvas_text(c, y, x, role, s.s, max);
    str_fini(&s);
    return used;
}

int canvas_glyph(struct canvas *c, int y, int x, enum role role, enum glyph g)
{
    return canvas_text(c, y, x, role, glyph_text(g), 1);
}

void canvas_fill_pale(struct canvas *c, enum role fill, int pale)
{
    c->fill = fill;
    c->pale = pale;
}

void canvas_fill_with(struct canvas *c, enum role fill)
{
    canvas_fill_pale(c, fill, 0);
}

void canvas_fill(struct canvas *c, struct rect r, enum role role)
{
    r = rect_cut(r, c->clip);
    for (int y = r.y; y < r.y + r.h; y++)
        for (int x = r.x; x < r.x + r.w; x++)
            canvas_put(c, y, x, role, ' ', 1);
}

void canvas_hline(struct canvas *c, int y, int x, int w, enum role role)
{
    for (int i = 0; i < w; i++)
        canvas_glyph(c, y, x + i, role, GLYPH_HLINE);
}

void canvas_vline(struct canvas *c, int y, int x, int h, enum role role)
{
    for (int i = 0; i < h; i++)
        canvas_glyph(c, y + i, x, role, GLYPH_VLINE);
}

void canvas_over(struct canvas *c, struct rect r, enum role over)
{
    r = rect_cut(r, c->clip);
    for (int y = r.y; y < r.y + r.h; y++)
        for (int x = r.x; x < r.x + r.w; x++)
            cell_at(c, y, x)->over = (uint8_t)over;
}

void canvas_ink(struct canvas *c, struct rect r, struct style ink)
{
    r = rect_cut(r, c->clip);
    for (int y = r.y; y < r.y + r.h; y++)
        for (int x = r.x; x < r.x + r.w; x++)
            cell_at(c, y, x)->ink = ink;
}

void canvas_frame(struct canvas *c, struct rect r, enum role role, const char *title)
{
    if (r.h < 2 || r.w < 2)
        return;
    canvas_hline(c, r.y, r.x + 1, r.w - 2, role);
    canvas_hline(c, r.y + r.h - 1, r.x + 1, r.w - 2, role);
    canvas_vline(c, r.y + 1, r.x, r.h - 2, role);
    canvas_vline(c, r.y + 1, r.x + r.w - 1, r.h - 2, role);
    canvas_glyph(c, r.y, r.x, role, GLYPH_TOP_LEFT);
    canvas_glyph(c, r.y, r.x + r.w - 1, role, GLYPH_TOP_RIGHT);
    canvas_glyph(c, r.y + r.h - 1, r.x, role, GLYPH_BOTTOM_LEFT);
    canvas_glyph(c, r.y + r.h - 1, r.x + r.w - 1, role, GLYPH_BOTTOM_RIGHT);
    if (title && r.w > 6)
        canvas_printf(c, r.y, r.x + 2, role, r.w - 4, " %s ", title);
}

void canvas_scrollbar(struct canvas *c, int y, int x, int h, long long top, long long seen, long long n)
{
    if (n <= seen || h < 2 || n <= 0)
        return;
    long long size = h * seen / n;
    if (size < 1)
        size = 1;
    long long at = n - seen > 0 ? (h - size) * top / (n - seen) : 0;
    for (int i = 0; i < h; i++)
        canvas_glyph(c, y + i, x, i >= at && i < at + size ? ROLE_NORMAL : ROLE_RULE,
                     i >= at && i < at + size ? GLYPH_THUMB : GLYPH_VLINE);
}

#define SQUARE 0x25a0u

/* Cells that are a quarter full to full. */
static bool is_shade(uint32_t cp)
{
    return cp == 0x2588 || (cp >= 0x2591 && cp <= 0x2593);
}

struct style canvas_look(const struct canvas_cell *cell, const struct theme *t, uint32_t *ret_char)
{
    *ret_char = cell->cp[0];
    if (cell->fill != ROLE_NORMAL) {
        bool filled;
        struct style s = theme_filled(t, (enum role)cell->role, (enum role)cell->fill, cell->pale, &filled);
        if (filled && cell->role == cell->fill)
            *ret_char = ' ';
        if (filled)
            return s;
        uint32_t end = sign_of_end((enum role)cell->role, cell->cp[0]);
        *ret_char = end && !t->colors ? end : *ret_char;
    }
    struct style s = theme_ink(t, (enum role)cell->role, (enum role)cell->over, cell->ink);
    uint32_t paler = theme_paler(t, (enum role)cell->role, cell->pale);
    if (cell->pale && s.fg == theme_paler(t, (enum role)cell->role, 0)) {
        if (paler != s.fg && is_shade(cell->cp[0]))
            *ret_char = SQUARE;
        s.fg = paler;
    }
    return s;
}

void canvas_row_text(const struct canvas *c, int y, struct str *out)
{
    size_t keep = out->len;
    for (int x = 0; x < c->cols; x++) {
        const struct canvas_cell *cell = canvas_at(c, y, x);
        if (cell->width == 0)
            continue;
        for (int i = 0; i < 1 + CELL_MARKS && cell->cp[i]; i++) {
            char b[4];
            str_append_n(out, b, utf8_encode(cell->cp[i], b));
        }
        if (cell->cp[0] != ' ')
            keep = out->len;
    }
    str_truncate(out, keep);
}
