/* page.c - what a pager shows at one time. */
#include "ui/widget/page.h"

#include <stdlib.h>
#include <string.h>

#include "src/base/utf8.h"
#include "src/base/xalloc.h"
#include "ui/widget/loglevel.h"

void page_fini(struct page *p)
{
    vec_for_each (&p->rows, i) {
        free(p->rows.v[i].text);
        free(p->rows.v[i].spans);
    }
    vec_fini(&p->rows);
    free(p->pattern);
    *p = (struct page){.pattern = NULL};
}

void page_add(struct page *p, const struct linetext *line, size_t from, size_t to, bool found)
{
    struct page_row row = {.text = xstrndup(line->text.s + from, to - from), .found = found};
    row.spans = xcalloc(line->n_spans ? line->n_spans : 1, sizeof *row.spans);
    size_t begin = 0;
    for (size_t i = 0; i < line->n_spans && begin < to; begin = line->spans[i++].end) {
        size_t end = line->spans[i].end < to ? line->spans[i].end : to;
        if (end > from)
            row.spans[row.n_spans++] = (struct text_span){.end = end - from, .ink = line->spans[i].ink};
    }
    vec_push(&p->rows, row);
}

static int cells_before(const char *text, size_t n)
{
    char *before = xstrndup(text, n);
    int w = cell_width(before);
    free(before);
    return w;
}

static void draw_ink(const struct page_row *row, struct canvas *c, int y, int x)
{
    size_t begin = 0;
    int at = x;
    for (size_t i = 0; i < row->n_spans; begin = row->spans[i++].end) {
        struct style k = row->spans[i].ink;
        int w = cells_before(row->text + begin, row->spans[i].end - begin);
        if (k.fg || k.bg || k.attr)
            canvas_ink(c, rect_make(y, at, 1, w), k);
        at += w;
    }
}

/* Errors and warnings, unless the program has given the word a colour of its own. */
static void draw_levels(const struct page_row *row, struct canvas *c, int y, int x)
{
    size_t at = 0, n;
    enum role role;
    for (; loglevel_find(row->text, &at, &n, &role); at += n) {
        bool inked = false;
        size_t begin = 0;
        for (size_t i = 0; i < row->n_spans; begin = row->spans[i++].end)
            inked |= row->spans[i].ink.fg && begin < at + n && row->spans[i].end > at;
        int left = cells_before(row->text, at), w = cells_before(row->text + at, n);
        if (!inked)
            canvas_over(c, rect_make(y, x + left, 1, w), role);
    }
}

/* Lays the look of a match over every place of the row that has the pattern; the line that was found has
 * colours of its own. */
static void draw_matches(const struct page *p, const struct page_row *row, struct canvas *c, int y, int x)
{
    size_t n = p->pattern ? strlen(p->pattern) : 0;
    if (!n)
        return;
    for (const char *s = row->text; (s = p->fold_case ? strcasestr(s, p->pattern) : strstr(s, p->pattern));
         s += n)
        canvas_over(
            c, rect_make(y, x + cells_before(row->text, (size_t)(s - row->text)), 1, cells_before(s, n)),
            row->found ? ROLE_MATCH_ON : ROLE_MATCH);
}

void page_draw(const struct page *p, struct canvas *c, struct rect r)
{
    if (rect_is_empty(r))
        return;
    struct rect old = canvas_clip(c, r);
    for (int i = 0; i < r.h && (size_t)i < p->rows.n; i++) {
        const struct page_row *row = &p->rows.v[i];
        canvas_text(c, r.y + i, r.x, ROLE_NORMAL, row->text, r.w);
        draw_ink(row, c, r.y + i, r.x);
        draw_levels(row, c, r.y + i, r.x);
        if (row->found && !p->pattern)
            canvas_over(c, rect_make(r.y + i, r.x, 1, r.w), ROLE_MATCH);
        draw_matches(p, row, c, r.y + i, r.x);
    }
    canvas_unclip(c, old);
}
