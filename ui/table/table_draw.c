/* table_draw.c - a table on the canvas. */
#include <stdlib.h>
#include <string.h>

#include "src/base/utf8.h"
#include "src/lang/lang.h"
#include "ui/table/table_private.h"

#define WISH_REST 56 /* cells of the column that takes what is left */

/* Cells of a field in its column, without a bar that would take more. A column of texts may say more where
 * it is drawn than where it is compared. */
static int field_needs(struct table *t, const struct trow *row, size_t i)
{
    const struct table_column *col = &t->cols[i];
    int w = cell_width(table_field(t, row, i, col->want)->text.text.s);
    if (col->want)
        return w;
    const struct rich *drawn = &table_field(t, row, i, WISH_REST)->text;
    int more = rich_has_bar(drawn) ? 0 : cell_width(drawn->text.s);
    return more > w ? more : w;
}

/* What the rows on the screen take of the columns that are as wide as these: a column never becomes
 * narrower, lest it moves with every key. */
static void see_needs(struct table *t, size_t first, size_t n, bool any_branch)
{
    for (size_t i = 0; i < t->n_cols; i++) {
        if (!t->on[i] || !(t->cols[i].fit || t->cols[i].flags & COLUMN_IF_ANY))
            continue;
        for (size_t k = first; k < first + n; k++) {
            const struct trow *row = table_shown(t, k);
            int fold =
                    t->cols[i].flags & COLUMN_TREE && (any_branch || row->depth) ? 2 * row->depth + 2 : 0,
                w = fold + field_needs(t, row, i);
            t->needs[i] = w > t->needs[i] ? w : t->needs[i];
        }
    }
}

static void draw_head(const struct table *t, struct canvas *c, struct rect r, const int *widths)
{
    canvas_fill(c, r, ROLE_HEAD);
    int x = r.x + MARK_CELLS, left = -1;
    for (size_t i = 0; i < t->n_cols; i++) {
        if (!widths[i])
            continue;
        x += table_gap(t->cols, left, i);
        left = (int)i;
        bool sorted = t->sort == (int)i;
        struct str title = STR_INIT;
        str_append(&title, tr(t->cols[i].title));
        if (sorted)
            str_append(&title, glyph_text(t->reverse ? GLYPH_DOWN : GLYPH_UP));
        int w = cell_width(title.s), room = widths[i],
            pad = t->cols[i].flags & COLUMN_RIGHT && w < room ? room - w : 0;
        if (w == room + 1) { /* the arrow takes the blank between two columns */
            room++;
            pad = t->cols[i].flags & COLUMN_RIGHT ? -1 : 0;
        }
        canvas_text(c, r.y, x + pad, sorted ? ROLE_HEAD_SORT : ROLE_HEAD, title.s,
                    room - (pad > 0 ? pad : 0));
        str_fini(&title);
        x += widths[i];
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

static size_t last_drawn(const struct table *t, const int *widths)
{
    size_t i = t->n_cols;
    while (i && !widths[i - 1])
        i--;
    return i ? i - 1 : 0;
}

/* A text in the last column that is too long begins where the row's empty cells before it begin: nothing
 * is cut while there is room. */
static bool draw_spilled(struct table *t, struct canvas *c, int y, const struct trow *row, size_t i,
                         int from, int end)
{
    const struct table_field *f = table_field(t, row, i, end - from);
    if (rich_has_bar(&f->text))
        return false;
    rich_draw(&f->text, c, y, from, end - from);
    return true;
}

static bool draw_row(struct table *t, struct canvas *c, struct rect r, const struct trow *row,
                     const int *widths, bool any_branch)
{
    bool ticks = false;
    size_t last = last_drawn(t, widths);
    int x = r.x + MARK_CELLS, left = -1, empty = -1;
    for (size_t i = 0; i < t->n_cols; i++) {
        if (!widths[i])
            continue;
        x += table_gap(t->cols, left, i);
        left = (int)i;
        int skip = t->cols[i].flags & COLUMN_TREE ? draw_fold(t, c, r.y, x, row, any_branch) : 0;
        const struct table_field *f = table_field(t, row, i, widths[i] - skip);
        ticks |= f->ticks;
        int w = cell_width(f->text.text.s), room = widths[i] - skip;
        if (i == last && (w > room || f->shorter) && empty >= 0 &&
            !(t->cols[i].flags & (COLUMN_RIGHT | COLUMN_TREE | COLUMN_ENDS)) &&
            draw_spilled(t, c, r.y, row, i, empty, x + widths[i]))
            break;
        empty = w ? -1 : empty < 0 ? x : empty;
        if (t->cols[i].flags & COLUMN_RIGHT && w < room)
            skip += room - w;
        if (t->cols[i].flags & COLUMN_ENDS)
            rich_draw_ends(&f->text, c, r.y, x + skip, widths[i] - skip);
        else
            rich_draw(&f->text, c, r.y, x + skip, widths[i] - skip);
        x += widths[i];
    }
    return ticks;
}

static bool draw_line(struct table *t, struct canvas *c, struct rect line, size_t i, const int *widths,
                      bool any_branch, bool focused)
{
    const struct trow *row = table_shown(t, i);
    size_t first = 1, last = 0;
    bool range = table_range(t, &first, &last);
    bool marked = list_is_marked(&t->list, row->id) || (range && i >= first && i <= last);
    bool ticks = draw_row(t, c, line, row, widths, any_branch);
    if (marked)
        canvas_glyph(c, line.y, line.x, ROLE_MARK, GLYPH_MARK);
    if (row->watched)
        canvas_glyph(c, line.y, line.x + 1, ROLE_MARK, GLYPH_WATCHED);
    if (i == t->list.cursor)
        canvas_over(c, line, focused ? ROLE_CURSOR : ROLE_CURSOR_IDLE);
    else if (marked)
        canvas_over(c, rect_make(line.y, line.x, 1, 1), ROLE_MARK);
    return ticks;
}

/* Rows, and the titles of their groups. */
static bool draw_lines(struct table *t, struct canvas *c, struct rect r, const int *widths, bool any_branch,
                       bool focused)
{
    bool ticks = false;
    for (size_t k = 0; k < t->lines.n; k++) {
        struct rect line = rect_make(r.y + (int)k, r.x, 1, r.w);
        if (t->lines.v[k] != TABLE_NO_ROW)
            ticks |= draw_line(t, c, line, t->lines.v[k], widths, any_branch, focused);
        else if (k + 1 < t->lines.n && t->lines.v[k + 1] != TABLE_NO_ROW)
            table_draw_title(t, c, line, t->lines.v[k + 1]);
        else if (k + 1 == t->lines.n && k > 0 && t->lines.v[k - 1] + 1 < t->shown.n)
            table_draw_title(t, c, line, t->lines.v[k - 1] + 1); /* its rows are below the last line */
    }
    return ticks;
}

bool table_draw(struct table *t, struct canvas *c, struct rect r, bool focused)
{
    if (rect_is_empty(r))
        return false;
    struct rect old = canvas_clip(c, r);
    int *widths = t->drawn;
    table_place_rows(t, r.h > 2 ? r.h - 1 : r.h);
    size_t n = 0;
    for (size_t k = 0; k < t->lines.n; k++)
        n += t->lines.v[k] != TABLE_NO_ROW;
    bool any_branch = table_draw_has_branches(t, t->list.top, n), bar = t->shown.n > n;
    see_needs(t, t->list.top, n, any_branch);
    table_fit(t->cols, t->on, t->needs, t->n_cols, r.w - MARK_CELLS - (bar ? 2 : 0), widths);
    t->head = (struct rect){0};
    if (r.h > 2) {
        t->head = rect_take_top(&r, 1);
        draw_head(t, c, t->head, widths);
    }
    bool ticks =
        draw_lines(t, c, rect_make(r.y, r.x, r.h, r.w - (bar ? 1 : 0)), widths, any_branch, focused);
    if (bar)
        canvas_scrollbar(c, r.y, r.x + r.w - 1, r.h, (long long)t->list.top, (long long)n,
                         (long long)t->shown.n);
    canvas_unclip(c, old);
    return ticks;
}

int table_wish(struct table *t, int height)
{
    size_t n = t->shown.n - t->list.top;
    n = t->list.top > t->shown.n ? 0 : n > (size_t)height ? (size_t)height : n;
    bool any_branch = table_draw_has_branches(t, t->list.top, n);
    int sum = MARK_CELLS + 3, left = -1;
    see_needs(t, t->list.top, n, any_branch);
    for (size_t i = 0; i < t->n_cols; i++) {
        const struct table_column *col = &t->cols[i];
        int most = col->want ? col->want : WISH_REST;
        int need = col->fit ? (t->needs[i] < most ? t->needs[i] : most) : col->want ? col->want : col->min;
        if (t->on[i] && (t->needs[i] || !(col->flags & COLUMN_IF_ANY))) {
            sum += table_gap(t->cols, left, i) + (need > col->min ? need : col->min);
            left = (int)i;
        }
    }
    return sum;
}
