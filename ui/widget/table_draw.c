/* table_draw.c - a table on the canvas. */
#include <stdlib.h>
#include <string.h>

#include "src/base/utf8.h"
#include "src/base/xalloc.h"
#include "ui/widget/table_private.h"

#define MARK_CELLS 2 /* the mark and a blank, left of the first column */

/* What the rows on the screen take of the columns that are as wide as these: a column never becomes
 * narrower, lest it moves with every key. */
static void see_needs(struct table *t, size_t first, size_t n, bool any_branch)
{
    for (size_t i = 0; i < t->n_cols; i++) {
        if (!t->cols[i].fit || !t->on[i])
            continue;
        for (size_t k = first; k < first + n; k++) {
            const struct trow *row = table_shown(t, k);
            int fold =
                    t->cols[i].flags & COLUMN_TREE && (any_branch || row->depth) ? 2 * row->depth + 2 : 0,
                w = fold + cell_width(table_field(t, row, i, 0)->text.text.s);
            t->needs[i] = w > t->needs[i] ? w : t->needs[i];
        }
    }
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
            str_append(&title, glyph_text(t->reverse ? GLYPH_DOWN : GLYPH_UP));
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

static bool table_draw_has_branches(const struct table *t, size_t first, size_t n)
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
        const struct table_field *f = table_field(t, row, i, widths[i] - skip);
        ticks |= f->ticks;
        int w = cell_width(f->text.text.s), room = widths[i] - skip;
        if (t->cols[i].flags & COLUMN_RIGHT && w < room)
            skip += room - w;
        if (t->cols[i].flags & COLUMN_ENDS)
            rich_draw_ends(&f->text, c, r.y, x + skip, widths[i] - skip);
        else
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
    size_t left = t->shown.n - t->list.top,
           n = left < (size_t)t->list.height ? left : (size_t)t->list.height, first = 1, last = 0;
    bool any_branch = table_draw_has_branches(t, t->list.top, n), range = table_range(t, &first, &last);
    see_needs(t, t->list.top, n, any_branch);
    table_fit(t->cols, t->on, t->needs, t->n_cols, r.w - MARK_CELLS - (bar ? 2 : 0), widths);
    if (r.h > 2)
        draw_head(t, c, rect_take_top(&r, 1), widths);
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
