/* pager.c - lines of a big file. */
#include "ui/widget/pager.h"

#include <stdlib.h>
#include <string.h>

#include "src/base/utf8.h"
#include "src/base/xalloc.h"
#include "ui/widget/did.h"
#include "ui/widget/motion.h"

#define SIDE_STEP 16

void pager_init(struct pager *p)
{
    *p = (struct pager){.match = -1, .wrap = true, .height = 1, .width = 80};
    p->window = xmalloc(PAGER_WINDOW);
}

void pager_fini(struct pager *p)
{
    free(p->window);
    free(p->pattern);
    *p = (struct pager){.match = -1};
}

size_t pager_read(const struct pager *p, int64_t at, char *buf, size_t n)
{
    return p->file.read ? p->file.read(p->file.ctx, at, buf, n) : 0;
}

/* The bytes from at on that are in memory: at least a line's worth where the file has so much. */
static const char *window_from(struct pager *p, int64_t at, size_t *ret_n)
{
    int64_t end = p->window_at + (int64_t)p->window_n;
    bool inside = at >= p->window_at && at < end;
    if (!inside || (end - at < PAGER_LINE_MAX && end < p->size)) {
        /* Some bytes before it as well: a reader of a line mostly wants its neighbours. */
        p->window_at = at > PAGER_WINDOW / 2 ? at - PAGER_WINDOW / 2 : 0;
        p->window_n = pager_read(p, p->window_at, p->window, PAGER_WINDOW);
        end = p->window_at + (int64_t)p->window_n;
    }
    if (at >= end) {
        *ret_n = 0;
        return p->window;
    }
    *ret_n = (size_t)(end - at);
    return p->window + (at - p->window_at);
}

/* A line that is too long for a piece but written over and over is still one. Where it ends, at to at the
 * latest; and where it begins, at from at the earliest: between that and at there is no end. */
static int64_t bar_end(const struct pager *p, int64_t at, int64_t to)
{
    char *buf = xmalloc(PAGER_LINE_MAX);
    size_t n;
    const char *nl = NULL;
    while (!nl && at < to && (n = pager_read(p, at, buf, PAGER_LINE_MAX)) > 0) {
        nl = memchr(buf, '\n', n);
        at += nl ? nl - buf + 1 : (int64_t)n;
    }
    free(buf);
    return at < to ? at : to;
}

static int64_t bar_begin(const struct pager *p, int64_t from, int64_t at)
{
    char *buf = xmalloc(PAGER_LINE_MAX);
    const char *nl = NULL;
    while (!nl && at > from) {
        int64_t piece = at - from > PAGER_LINE_MAX ? at - PAGER_LINE_MAX : from;
        size_t n = pager_read(p, piece, buf, (size_t)(at - piece));
        nl = n ? memrchr(buf, '\n', n) : NULL;
        at = nl ? piece + (nl - buf) + 1 : piece;
    }
    free(buf);
    return at;
}

/* Bytes of the line at that offset, its end included; *ret: as many of them as are in memory. */
static size_t pager_line_bytes(struct pager *p, int64_t at, const char **ret)
{
    size_t n;
    *ret = window_from(p, at, &n);
    if (n > PAGER_LINE_MAX)
        n = PAGER_LINE_MAX;
    const char *nl = memchr(*ret, '\n', n);
    if (nl)
        return (size_t)(nl - *ret) + 1;
    if (n < PAGER_LINE_MAX || !memchr(*ret, '\r', n))
        return n;
    return (size_t)(bar_end(p, at + (int64_t)n, at + PAGER_BAR_MAX) - at);
}

int64_t pager_next_line(struct pager *p, int64_t at)
{
    const char *s;
    return at + (int64_t)pager_line_bytes(p, at, &s);
}

int64_t pager_line_start(struct pager *p, int64_t at)
{
    int64_t from =
        at >= PAGER_LINE_MAX ? at + 1 - PAGER_LINE_MAX : 0; /* so that the piece takes in the byte itself */
    size_t n;
    const char *s = window_from(p, from, &n);
    if ((int64_t)n > at - from)
        n = (size_t)(at - from);
    const char *nl = n ? memrchr(s, '\n', n) : NULL;
    if (nl)
        return from + (nl - s) + 1;
    if (!from || !n || !memchr(s, '\r', n))
        return from;
    return bar_begin(p, at >= PAGER_BAR_MAX ? at + 1 - PAGER_BAR_MAX : 0, from);
}

static int64_t line_before(struct pager *p, int64_t at)
{
    return at > 0 ? pager_line_start(p, at - 1) : 0;
}

static void pager_line_text(struct pager *p, int64_t at, struct linetext *out)
{
    const char *s;
    size_t n = pager_line_bytes(p, at, &s);
    if (n > PAGER_LINE_MAX) { /* only the end of it has not been overwritten */
        size_t there;
        s = window_from(p, at + (int64_t)n - PAGER_LINE_MAX, &there);
        n = there < PAGER_LINE_MAX ? there : PAGER_LINE_MAX;
    }
    linetext_set(out, s, n);
}

/* Bytes of s that fill a row of width cells. */
static size_t row_bytes(const char *s, size_t n, int width)
{
    int cells = 0;
    size_t i = 0;
    while (i < n) {
        uint32_t cp = 0;
        size_t len = utf8_decode(s + i, n - i, &cp);
        int w = len ? utf8_width(cp) : 1;
        if (cells + w > width && i > 0)
            break;
        cells += w;
        i += len ? len : 1;
    }
    return i;
}

static int line_rows(struct pager *p, int64_t at)
{
    if (!p->wrap)
        return 1;
    struct linetext t;
    linetext_init(&t);
    pager_line_text(p, at, &t);
    int rows = 0;
    size_t i = 0;
    do {
        i += row_bytes(t.text.s + i, t.text.len - i, p->width);
        rows++;
    } while (i < t.text.len);
    linetext_fini(&t);
    return rows;
}

static void end_position(struct pager *p, int64_t *ret_top, int *ret_row)
{
    int64_t at = p->size;
    int rows = 0;
    while (at > 0 && rows < p->height)
        rows += line_rows(p, at = line_before(p, at));
    *ret_top = at;
    *ret_row = rows > p->height ? rows - p->height : 0;
}

void pager_to_end(struct pager *p)
{
    end_position(p, &p->top, &p->top_row);
}

static bool is_after(int64_t top, int row, int64_t end, int end_row)
{
    return top > end || (top == end && row >= end_row);
}

bool pager_at_end(struct pager *p)
{
    int64_t end;
    int row;
    end_position(p, &end, &row);
    return is_after(p->top, p->top_row, end, row);
}

void pager_scroll(struct pager *p, long rows)
{
    for (; rows < 0 && (p->top > 0 || p->top_row > 0); rows++) {
        if (p->top_row > 0) {
            p->top_row--;
            continue;
        }
        p->top = line_before(p, p->top);
        p->top_row = line_rows(p, p->top) - 1;
    }
    if (rows <= 0)
        return;
    int64_t end;
    int end_row;
    end_position(p, &end, &end_row);
    for (; rows > 0 && !is_after(p->top, p->top_row, end, end_row); rows--) {
        if (p->top_row + 1 < line_rows(p, p->top)) {
            p->top_row++;
        } else {
            p->top = pager_next_line(p, p->top);
            p->top_row = 0;
        }
    }
}

void pager_go(struct pager *p, int64_t line)
{
    p->follow = false;
    p->top = line;
    p->top_row = 0;
    if (pager_at_end(p))
        pager_to_end(p);
}

void pager_change_file(struct pager *p, const struct pager_file *file)
{
    p->file = file ? *file : (struct pager_file){.ctx = NULL};
    p->window_n = 0;
    pager_grown(p);
}

void pager_set_file(struct pager *p, const struct pager_file *file)
{
    p->size = p->top = p->window_at = 0;
    p->top_row = p->left = 0;
    p->match = -1;
    p->searching = false;
    pager_change_file(p, file);
    pager_to_end(p);
}

bool pager_grown(struct pager *p)
{
    int64_t size = p->file.size ? p->file.size(p->file.ctx) : 0;
    if (size == p->size)
        return false;
    bool shorter = size < p->size;
    p->size = size;
    p->window_n = 0; /* its last line may have grown */
    if (shorter) {
        p->top = p->top_row = 0;
        p->match = -1;
    }
    if (p->follow || shorter)
        pager_to_end(p);
    return true;
}

void pager_rewritten(struct pager *p, int64_t from)
{
    p->size = p->file.size ? p->file.size(p->file.ctx) : 0;
    p->window_n = 0;
    if (p->match >= from)
        p->match = -1;
    if (p->follow) {
        pager_to_end(p);
    } else if (p->top > from) { /* what was there may begin elsewhere now */
        p->top = p->size > p->top ? pager_line_start(p, p->top) : p->size > from ? from : p->size;
        p->top_row = 0;
    }
}

bool pager_has_pattern(const struct pager *p)
{
    return p->needles == (const char *const *)&p->pattern;
}

unsigned pager_act(struct pager *p, enum action a)
{
    long by = 0;
    if (a == ACTION_TOP)
        p->top = p->top_row = 0;
    else if (a == ACTION_BOTTOM)
        pager_to_end(p);
    else if (motion_of(a == ACTION_PAGE_SPACE ? ACTION_PAGE_DOWN : a, p->height, 0, &by))
        pager_scroll(p, by);
    else if (a == ACTION_WRAP) {
        p->wrap = !p->wrap;
        p->left = p->top_row = 0;
    } else if (a == ACTION_LEFT || a == ACTION_RIGHT) {
        p->left = p->wrap ? 0 : p->left + (a == ACTION_LEFT ? -SIDE_STEP : SIDE_STEP);
        p->left = p->left < 0 ? 0 : p->left > PAGER_LINE_MAX ? PAGER_LINE_MAX : p->left;
    } else if (a == ACTION_FOLLOW) {
        p->follow = !p->follow;
        if (p->follow)
            pager_to_end(p);
    } else
        return 0;
    if (by < 0 || a == ACTION_TOP)
        p->follow = false;
    return DID_HANDLE | DID_REDRAW;
}

void pager_resize(struct pager *p, int height, int width)
{
    bool at_end = p->follow || pager_at_end(p);
    if (height == p->height && width == p->width)
        return;
    p->height = height > 0 ? height : 1;
    p->width = width > 0 ? width : 1;
    if (p->top_row >= line_rows(p, p->top))
        p->top_row = 0;
    if (at_end)
        pager_to_end(p);
}

void pager_page(struct pager *p, struct page *out)
{
    struct linetext t;
    linetext_init(&t);
    if (pager_has_pattern(p) && !out->pattern)
        out->pattern = xstrdup(p->pattern);
    out->fold_case = p->fold_case;
    size_t height = out->rows.n + (size_t)p->height;
    int64_t next;
    for (int64_t at = p->top; out->rows.n < height && at < p->size; at = next) {
        next = pager_next_line(p, at);
        if (next <= at) /* what should be there cannot be read */
            break;
        pager_line_text(p, at, &t);
        size_t i = p->wrap || !p->left ? 0 : row_bytes(t.text.s, t.text.len, p->left);
        int row = 0;
        do {
            size_t left = t.text.len - i, n = row_bytes(t.text.s + i, left, p->width);
            if (at != p->top || row >= p->top_row)
                page_add(out, &t, i, p->wrap || n == left ? i + n : t.text.len, at == p->match);
            i = p->wrap ? i + n : t.text.len;
            row++;
        } while (i < t.text.len && out->rows.n < height);
    }
    linetext_fini(&t);
}
