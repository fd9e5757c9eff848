/* array_grid.c - the elements of an array as a map. */
#include "ui/array/array_grid.h"

#include <stdio.h>

#include "src/lang/lang.h"
#include "src/text/jobtext.h"
#include "ui/term/signs.h"
#include "ui/text/view_text.h"

#define WIDE_CELL  2
#define LEVELS     4  /* of run times, without colours */
#define PALE_LEAST 2  /* percent of the track in the sign of the slowest, */
#define PALE_MOST  76 /* and how much more in that of the fastest */
#define PALE_FEW   55 /* ... in that of a cell of which hardly any element failed */
#define SINGLE     75 /* percent that stand for a run time if all are the same */

/* --- layout --- */

/* A round number, so that an index can be counted from that at the beginning of its row. */
static int row_length(int width, int cell_w)
{
    static const int round[] = {200, 100, 50, 25, 20, 10, 5, 2};
    int n = (width + cell_w - 1) / cell_w;
    for (size_t i = 0; i < sizeof round / sizeof round[0]; i++)
        if (round[i] <= n)
            return round[i];
    return 1;
}

static size_t rows_of(size_t n, size_t per_cell, int per_row)
{
    size_t cells = (n + per_cell - 1) / per_cell;
    return (cells + (size_t)per_row - 1) / (size_t)per_row;
}

/* The smallest of 1, 2, 5, 10, 20, 50 ... with which these rows are enough. */
static size_t cell_size(size_t n, int per_row, int rows)
{
    static const size_t digits[] = {1, 2, 5};
    for (size_t ten = 1;; ten *= 10)
        for (size_t i = 0; i < sizeof digits / sizeof digits[0]; i++)
            if (rows_of(n, ten * digits[i], per_row) <= (size_t)rows)
                return ten * digits[i];
}

static int digits_of(uint32_t n)
{
    char b[16];
    return snprintf(b, sizeof b, "%u", n);
}

int array_grid_fit(struct array_grid *g, const struct array_elements *e, int width, int rows)
{
    if (g->n_zooms && g->zooms[g->n_zooms - 1].to > e->v.n)
        g->n_zooms = 0;
    g->shown = g->n_zooms ? g->zooms[g->n_zooms - 1] : (struct grid_span){0, e->v.n};
    g->rows = 0;
    if (!e->v.n || rows < 1)
        return 0;
    g->cursor = g->cursor < e->v.n ? g->cursor : e->v.n - 1;
    size_t n = g->shown.to - g->shown.from;
    g->label_w = digits_of(e->v.v[e->v.n - 1].index) + 2;
    int room = width - g->label_w;
    g->per_row = row_length(room, WIDE_CELL);
    g->per_cell = cell_size(n, g->per_row, rows);
    g->cell_w = WIDE_CELL;
    size_t dense = cell_size(n, row_length(room, 1), rows);
    if (dense < g->per_cell) {
        g->cell_w = 1;
        g->per_row = row_length(room, 1);
        g->per_cell = dense;
    }
    g->rows = (int)rows_of(n, g->per_cell, g->per_row);
    return g->rows;
}

/* --- cells --- */

struct cell_sum {
    uint32_t counts[ELEMENT_KINDS];
    double ran_s;
    uint32_t n_ran; /* done, with a known run */
};

static struct grid_span cell_span(const struct array_grid *g, size_t cell)
{
    size_t from = g->shown.from + cell * g->per_cell, to = from + g->per_cell;
    return (struct grid_span){from, to < g->shown.to ? to : g->shown.to};
}

static struct cell_sum sum_cell(const struct array_elements *e, struct grid_span span)
{
    struct cell_sum s = {.n_ran = 0};
    for (size_t i = span.from; i < span.to; i++) {
        const struct array_element *x = &e->v.v[i];
        s.counts[x->is]++;
        if (x->is == ELEMENT_DONE && x->job) {
            s.ran_s += x->ran_s;
            s.n_ran++;
        }
    }
    return s;
}

/* 0 to 100 from the fastest to the slowest, but for the few that are far from all others. */
static int level_of(const struct array_times *t, double ran_s)
{
    if (t->high_s <= t->low_s)
        return SINGLE;
    double p = (ran_s - t->low_s) * 100 / (t->high_s - t->low_s);
    return p < 0 ? 0 : p > 100 ? 100 : (int)p;
}

static void draw_done(struct canvas *c, int y, int x, int level)
{
    static const enum role parts[LEVELS] = {ROLE_BAR_GONE, ROLE_BAR_IDLE, ROLE_BAR_RUN, ROLE_BAR_USED};
    canvas_fill_pale(c, ROLE_NORMAL, PALE_LEAST + PALE_MOST * (100 - level) / 100);
    canvas_text(c, y, x, ROLE_BAR_USED, bar_sign(parts[level * LEVELS / 101]), 1);
    canvas_fill_with(c, ROLE_NORMAL);
}

/* Of several elements a digit says how many failed, and a paler sign that they are few of the cell's. */
static void draw_failed(struct canvas *c, int y, int x, uint32_t n, size_t of, const struct job *j)
{
    char b[2] = {(char)('0' + n % 10), '\0'};
    canvas_fill_pale(c, ROLE_NORMAL, of > 1 ? (int)(PALE_FEW - PALE_FEW * (size_t)n / of) : 0);
    canvas_text(c, y, x, ROLE_FAILED,
                of > 1 && n < 10 ? b
                : j              ? sign_of(job_state_glyph((enum job_state)j->state), b)
                                 : SIGN_FAILED,
                1);
    canvas_fill_with(c, ROLE_NORMAL);
}

static void draw_cell(const struct array_elements *e, const struct array_times *t, struct grid_span span,
                      struct canvas *c, int y, int x)
{
    struct cell_sum s = sum_cell(e, span);
    const struct job *j = span.to == span.from + 1 ? e->v.v[span.from].job : NULL;
    char b[2];
    if (s.counts[ELEMENT_FAILED])
        draw_failed(c, y, x, s.counts[ELEMENT_FAILED], span.to - span.from, j);
    else if (s.counts[ELEMENT_RUNNING])
        canvas_text(c, y, x, ROLE_NODE_PART, SIGN_RUNNING, 1);
    else if (s.counts[ELEMENT_WAITING] > s.counts[ELEMENT_DONE])
        canvas_text(c, y, x, ROLE_DIM, j && job_glyph(j) != 'P' ? sign_of(job_glyph(j), b) : "\u00b7", 1);
    else if (s.n_ran)
        draw_done(c, y, x, level_of(t, s.ran_s / s.n_ran));
    else if (s.counts[ELEMENT_DONE])
        canvas_text(c, y, x, ROLE_DONE, SIGN_DONE, 1);
    else if (s.counts[ELEMENT_CANCELLED])
        canvas_text(c, y, x, ROLE_CANCELLED, SIGN_CANCELLED, 1);
    else
        canvas_text(c, y, x, ROLE_DIM, "-", 1);
}

void array_grid_draw(struct array_grid *g, const struct array_elements *e, const struct array_times *t,
                     struct canvas *c, struct rect r, bool focused)
{
    size_t cells = g->per_cell ? (g->shown.to - g->shown.from + g->per_cell - 1) / g->per_cell : 0;
    struct rect old = canvas_clip(c, r);
    g->cells = rect_make(r.y, r.x + g->label_w, g->rows, r.w - g->label_w);
    for (size_t i = 0; i < cells; i++) {
        int row = (int)(i / (size_t)g->per_row), column = (int)(i % (size_t)g->per_row);
        struct grid_span span = cell_span(g, i);
        int y = r.y + row, x = g->cells.x + column * g->cell_w;
        if (!column)
            canvas_printf(c, y, r.x, ROLE_DIM, g->label_w, "%*u", g->label_w - 2, e->v.v[span.from].index);
        draw_cell(e, t, span, c, y, x);
        if (g->cursor >= span.from && g->cursor < span.to)
            canvas_over(c, g->cell_w > 1 ? rect_make(y, x - 1, 1, 3) : rect_make(y, x, 1, 1),
                        focused ? ROLE_CURSOR : ROLE_CURSOR_IDLE);
    }
    canvas_unclip(c, old);
}

void array_grid_legend(const struct array_grid *g, const struct array_times *t, struct canvas *c,
                       struct rect r)
{
    struct rich text;
    struct rect old = canvas_clip(c, r);
    int x = r.x;
    if (g->per_cell > 1)
        x += canvas_printf(c, r.y, x, ROLE_NORMAL, r.w, tr("%zu in each cell   "), g->per_cell);
    for (int level = 100 / LEVELS; t->high_s > t->low_s && level <= 100; level += 100 / LEVELS)
        draw_done(c, r.y, x++, level);
    if (t->high_s <= t->low_s)
        draw_done(c, r.y, x++, SINGLE);
    rich_init(&text);
    rich_add(&text, ROLE_DIM,
             t->high_s > t->low_s && g->per_cell == 1 ? tr(" done, by run time   ") : tr(" done   "));
    rich_add(&text, ROLE_FAILED, g->per_cell > 1 ? "1-9 " SIGN_FAILED : SIGN_FAILED);
    rich_add(&text, ROLE_DIM, tr(" failed   "));
    rich_add(&text, ROLE_NODE_PART, SIGN_RUNNING);
    rich_add(&text, ROLE_DIM, tr(" running   \u00b7 waiting"));
    rich_draw(&text, c, r.y, x, r.x + r.w - x);
    rich_fini(&text);
    canvas_unclip(c, old);
}

/* --- the cursor --- */

static size_t cell_of_cursor(const struct array_grid *g)
{
    return g->per_cell && g->cursor >= g->shown.from ? (g->cursor - g->shown.from) / g->per_cell : 0;
}

void array_grid_step(struct array_grid *g, long by)
{
    size_t n = g->shown.to - g->shown.from;
    if (!n || !g->per_cell)
        return;
    long cells = (long)((n + g->per_cell - 1) / g->per_cell), to = (long)cell_of_cursor(g) + by;
    to = to < 0 ? 0 : to >= cells ? cells - 1 : to;
    g->cursor = g->shown.from + (size_t)to * g->per_cell;
    g->exact = false;
}

bool array_grid_move(struct array_grid *g, enum action a)
{
    long cell = (long)cell_of_cursor(g), n = (long)(g->shown.to - g->shown.from),
         cells = g->per_cell ? (n + (long)g->per_cell - 1) / (long)g->per_cell : 0;
    if (a == ACTION_UP && cell >= g->per_row)
        array_grid_step(g, -g->per_row);
    else if (a == ACTION_DOWN && cell / (g->per_row ? g->per_row : 1) < g->rows - 1)
        array_grid_step(g, cell + g->per_row < cells ? g->per_row : cells);
    else if (a == ACTION_TOP)
        array_grid_step(g, -cells);
    else if (a == ACTION_BOTTOM)
        array_grid_step(g, cells);
    else
        return a == ACTION_UP || a == ACTION_DOWN;
    return true;
}

void array_grid_go(struct array_grid *g, size_t place)
{
    while (g->n_zooms && (place < g->zooms[g->n_zooms - 1].from || place >= g->zooms[g->n_zooms - 1].to))
        g->n_zooms--;
    g->cursor = place;
    g->exact = true;
}

void array_grid_point(struct array_grid *g, size_t place)
{
    g->cursor = place;
    g->exact = false;
}

struct grid_span array_grid_current(const struct array_grid *g)
{
    if (g->exact || g->per_cell <= 1)
        return (struct grid_span){g->cursor, g->cursor + 1};
    return cell_span(g, cell_of_cursor(g));
}

bool array_grid_open(struct array_grid *g)
{
    struct grid_span span = array_grid_current(g);
    if (span.to <= span.from + 1 || g->n_zooms >= GRID_ZOOMS)
        return false;
    g->zooms[g->n_zooms++] = span;
    g->cursor = span.from;
    return true;
}

bool array_grid_close(struct array_grid *g)
{
    if (!g->n_zooms)
        return false;
    g->n_zooms--;
    g->exact = false;
    return true;
}

bool array_grid_at(const struct array_grid *g, int y, int x, size_t *ret)
{
    if (!rect_has(g->cells, y, x) || !g->per_cell)
        return false;
    int column = (x - g->cells.x) / g->cell_w;
    size_t cell = (size_t)(y - g->cells.y) * (size_t)g->per_row + (size_t)column,
           cells = (g->shown.to - g->shown.from + g->per_cell - 1) / g->per_cell;
    if (column >= g->per_row || cell >= cells)
        return false;
    *ret = g->shown.from + cell * g->per_cell;
    return true;
}
