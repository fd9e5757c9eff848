/* table_draw.c - a table on the canvas. */
#include <stdlib.h>
#include <string.h>

#include "src/base/utf8.h"
#include "src/base/xalloc.h"
#include "ui/widget/table_private.h"

#define MARK_CELLS 2 /* the mark and a blank, left of the first column */

static bool is_drawn(const struct column *cols, const bool *on, size_t i)
{
    return on ? on[i] : !(cols[i].flags & COLUMN_HIDDEN);
}

static int width_of(size_t n, const int *widths)
{
    int sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += widths[i] ? widths[i] + 1 : 0;
    return sum ? sum - 1 : 0;
}

/* What was chosen by hand is the last to be left out. */
static int rank_of(const struct column *c)
{
    return c->flags & COLUMN_HIDDEN ? 1 : c->rank;
}

/* The column to give up next, or -1: the last of the highest rank. */
static int least_wanted(const struct column *cols, size_t n, const int *widths)
{
    int worst = -1;
    for (size_t i = 0; i < n; i++)
        if (widths[i] && rank_of(&cols[i]) > 0 && (worst < 0 || rank_of(&cols[i]) >= rank_of(&cols[worst])))
            worst = (int)i;
    return worst;
}

/* A cell for each that would like one more, and again, so that the first do not take it all. Returns what
 * is left. */
static int grow_evenly(const struct column *cols, size_t n, int flexible, int left, int *widths)
{
    for (bool grew = true; grew && left > 0;) {
        grew = false;
        for (size_t i = 0; i < n && left > 0; i++)
            if (widths[i] && (int)i != flexible && widths[i] < cols[i].want) {
                widths[i]++;
                left--;
                grew = true;
            }
    }
    return left;
}

void table_fit(const struct column *cols, const bool *on, size_t n, int width, int *widths)
{
    for (size_t i = 0; i < n; i++)
        widths[i] = is_drawn(cols, on, i) ? cols[i].min : 0;
    while (width_of(n, widths) > width) {
        int i = least_wanted(cols, n, widths);
        if (i < 0)
            break;
        widths[i] = 0;
    }
    int left = width - width_of(n, widths), flexible = -1;
    for (size_t i = 0; i < n; i++)
        if (widths[i] && !cols[i].want)
            flexible = (int)i;
    if (flexible >= 0 && left > 0) { /* its share comes before what the others would like */
        int share = cols[flexible].share ? cols[flexible].share : 33,
            more = width * share / 100 - widths[flexible];
        more = more > left ? left : more > 0 ? more : 0;
        widths[flexible] += more;
        left -= more;
    }
    left = grow_evenly(cols, n, flexible, left, widths);
    if (flexible >= 0 && left > 0)
        widths[flexible] += left;
    for (size_t i = 0; i < n && width > 0; i++)
        if (widths[i] > width)
            widths[i] = width;
}

static void draw_head(const struct table *t, struct canvas *c, struct rect r, const int *widths)
{
    canvas_fill(c, r, ROLE_HEAD);
    int x = r.x + MARK_CELLS;
    for (size_t i = 0; i < t->n_cols; i++) {
        if (!widths[i])
            continue;
        bool sorted = t->sort == (int)i;
        struct str title = STR_INIT;
        str_append(&title, t->cols[i].title);
        if (sorted)
            str_append(&title, glyph_text(t->reverse ? GLYPH_DOWN : GLYPH_UP, c->ascii));
        int w = cell_width(title.s),
            pad = t->cols[i].flags & COLUMN_RIGHT && w < widths[i] ? widths[i] - w : 0;
        canvas_text(c, r.y, x + pad, sorted ? ROLE_HEAD_SORT : ROLE_HEAD, title.s, widths[i] - pad);
        str_fini(&title);
        x += widths[i] + 1;
    }
}

static int draw_fold(const struct table *t, struct canvas *c, int y, int x, const struct trow *row,
                     bool any_branch)
{
    int indent = 2 * row->depth;
    if (row->branch)
        canvas_glyph(c, y, x + indent, ROLE_NORMAL, table_is_open(t, row->id) ? GLYPH_OPEN : GLYPH_CLOSED);
    return any_branch || indent ? indent + 2 : 0;
}

static bool has_branches(const struct table *t, size_t first, size_t n)
{
    for (size_t i = first; i < first + n; i++)
        if (table_shown(t, i)->branch || table_shown(t, i)->depth)
            return true;
    return false;
}

static bool draw_row(struct table *t, struct canvas *c, struct rect r, const struct trow *row,
                     const int *widths, bool any_branch)
{
    bool ticks = false;
    int x = r.x + MARK_CELLS;
    for (size_t i = 0; i < t->n_cols; i++) {
        if (!widths[i])
            continue;
        int skip = t->cols[i].flags & COLUMN_TREE ? draw_fold(t, c, r.y, x, row, any_branch) : 0;
        const struct field *f = table_field(t, row, i, widths[i] - skip);
        ticks |= f->ticks;
        int w = cell_width(f->text.text.s), room = widths[i] - skip;
        if (t->cols[i].flags & COLUMN_RIGHT && w < room)
            skip += room - w;
        rich_draw(&f->text, c, r.y, x + skip, widths[i] - skip);
        x += widths[i] + 1;
    }
    return ticks;
}

bool table_draw(struct table *t, struct canvas *c, struct rect r, bool focused)
{
    if (rect_is_empty(r))
        return false;
    struct rect old = canvas_clip(c, r);
    int *widths = xcalloc(t->n_cols, sizeof *widths);
    bool ticks = false, bar;
    if (r.h > 2)
        list_fit(&t->list, r.h - 1);
    else
        list_fit(&t->list, r.h);
    bar = t->shown.n > (size_t)t->list.height;
    table_fit(t->cols, t->on, t->n_cols, r.w - MARK_CELLS - (bar ? 2 : 0), widths);
    if (r.h > 2)
        draw_head(t, c, rect_take_top(&r, 1), widths);
    size_t n = t->shown.n - t->list.top < (size_t)r.h ? t->shown.n - t->list.top : (size_t)r.h, first = 1,
           last = 0;
    bool any_branch = has_branches(t, t->list.top, n), range = table_range(t, &first, &last);
    for (size_t k = 0; k < n; k++) {
        size_t i = t->list.top + k;
        const struct trow *row = table_shown(t, i);
        struct rect line = rect_make(r.y + (int)k, r.x, 1, r.w - (bar ? 1 : 0));
        ticks |= draw_row(t, c, line, row, widths, any_branch);
        bool marked = list_is_marked(&t->list, row->id) || (range && i >= first && i <= last);
        if (marked)
            canvas_glyph(c, line.y, line.x, ROLE_MARK, GLYPH_MARK);
        if (row->watched)
            canvas_glyph(c, line.y, line.x + 1, ROLE_MARK, GLYPH_WATCHED);
        if (i == t->list.cursor)
            canvas_over(c, line, focused ? ROLE_CURSOR : ROLE_CURSOR_IDLE);
        else if (marked)
            canvas_over(c, line, ROLE_MARK);
    }
    if (bar)
        canvas_scrollbar(c, r.y, r.x + r.w - 1, r.h, (long long)t->list.top, t->list.height,
                         (long long)t->shown.n);
    free(widths);
    canvas_unclip(c, old);
    return ticks;
}
