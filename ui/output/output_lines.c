/* output_lines.c - the lines of an output that contain a text. */
#include "ui/output/output_lines.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "src/base/xalloc.h"

/* --- reading lines --- */

static void line_scan_begin(struct line_scan *s, const char *text, bool without)
{
    char *copy = xstrdup(text);
    free(s->text);
    *s = (struct line_scan){.text = copy, .fold_case = true, .without = without, .seen = -1};
    for (const char *c = copy; c && *c; c++)
        s->fold_case &= !isupper((unsigned char)*c);
}

/* A line of a slice; whole: with its end. */
typedef void line_found_fn(void *ctx, int64_t at, const char *line, size_t n, bool whole);

/* The bytes of whole lines. A line that is longer than a slice counts as several. */
static size_t whole_lines(const char *buf, size_t n)
{
    const char *nl = n ? memrchr(buf, '\n', n) : NULL;
    return nl ? (size_t)(nl - buf) + 1 : n < PAGER_SLICE ? 0 : n;
}

static char *folded(const char *buf, size_t n)
{
    char *low = xmalloc(n + 1);
    for (size_t i = 0; i < n; i++)
        low[i] = (char)tolower((unsigned char)buf[i]);
    return low;
}

static void line_scan_slice(struct line_scan *s, const struct pager_file *f, int64_t size,
                            line_found_fn *found, void *ctx)
{
    char *buf = xmalloc(PAGER_SLICE);
    size_t n = f->read ? f->read(f->ctx, s->at, buf, PAGER_SLICE) : 0, whole = whole_lines(buf, n);
    char *low = s->fold_case ? folded(buf, n) : NULL;
    const char *text = low ? low : buf;
    bool at_end = s->at + (int64_t)n >= size || !n;
    for (size_t i = 0, end; i < n && (i < whole || at_end); i = end) {
        const char *nl = memchr(buf + i, '\n', n - i);
        end = nl ? (size_t)(nl - buf) + 1 : n;
        bool there = memmem(text + i, end - i, s->text, strlen(s->text)) != NULL;
        if (there != s->without)
            found(ctx, s->at + (int64_t)i, buf + i, end - i, i < whole);
    }
    s->at += (int64_t)whole;
    s->seen = at_end || !whole ? size : -1;
    free(low);
    free(buf);
}

/* --- places --- */

void line_hits_begin(struct line_hits *h, const char *text)
{
    line_scan_begin(&h->scan, str_is_empty(text) ? NULL : text, false);
    vec_fini(&h->starts);
    h->last = false;
}

void line_hits_cut(struct line_hits *h, int64_t from)
{
    while (h->starts.n && h->starts.v[h->starts.n - 1] >= from)
        h->starts.n--;
    h->last = false;
    h->scan.at = h->scan.at < from ? h->scan.at : from;
    h->scan.seen = -1;
}

bool line_hits_has_work(const struct line_hits *h, int64_t size)
{
    return h->scan.text && h->scan.seen != size && h->starts.n < LINE_HITS_MAX;
}

static void line_hits_found(void *ctx, int64_t at, const char *line, size_t n, bool whole)
{
    (void)line;
    (void)n;
    struct line_hits *h = ctx;
    if (!whole)
        h->last = true;
    else if (h->starts.n < LINE_HITS_MAX)
        vec_push(&h->starts, at);
}

void line_hits_work(struct line_hits *h, const struct pager_file *f, int64_t size)
{
    h->last = false;
    line_scan_slice(&h->scan, f, size, line_hits_found, h);
}

size_t line_hits_count(const struct line_hits *h)
{
    return h->starts.n + h->last;
}

size_t line_hits_number(const struct line_hits *h, int64_t line)
{
    size_t from = 0, to = h->starts.n;
    while (from < to) {
        size_t mid = (from + to) / 2;
        if (h->starts.v[mid] <= line)
            from = mid + 1;
        else
            to = mid;
    }
    return line < 0 ? 0 : h->last && line >= h->scan.at ? h->starts.n + 1 : from;
}

/* --- a copy of them --- */

void line_filter_init(struct line_filter *f)
{
    *f = (struct line_filter){.kept = KEPT_LINES_CLOSED, .lines = STR_INIT, .unfinished = STR_INIT};
}

void line_filter_begin(struct line_filter *f, const char *text)
{
    bool without = text && *text == '!' && text[1];
    kept_lines_close(&f->kept);
    line_scan_begin(&f->scan, str_is_empty(text) ? NULL : text + without, without);
    str_fini(&f->lines);
    str_fini(&f->unfinished);
    str_init(&f->lines);
    str_init(&f->unfinished);
    f->full = false;
    if (f->scan.text)
        kept_lines_open(&f->kept);
}

void line_filter_restart(struct line_filter *f)
{
    f->scan.at = 0;
    f->scan.seen = -1;
    f->full = false;
    kept_lines_clear(&f->kept);
}

bool line_filter_has_work(const struct line_filter *f, int64_t size)
{
    return f->scan.text && f->scan.seen != size && !f->full;
}

static void line_filter_found(void *ctx, int64_t at, const char *line, size_t n, bool whole)
{
    (void)at;
    struct line_filter *f = ctx;
    str_append_n(whole ? &f->lines : &f->unfinished, line, n);
}

int64_t line_filter_work(struct line_filter *f, const struct pager_file *source, int64_t size)
{
    int64_t before = f->kept.size;
    str_clear(&f->lines);
    str_clear(&f->unfinished);
    line_scan_slice(&f->scan, source, size, line_filter_found, f);
    if (f->kept.size + (int64_t)f->lines.len > LINE_FILTER_MAX ||
        !kept_lines_add(&f->kept, f->lines.s, f->lines.len))
        f->full = true;
    bool other_end = kept_lines_end_with(&f->kept, &f->unfinished);
    return other_end || f->kept.size != before ? before : -1;
}

/* --- a line by its number --- */

void line_seek_begin(struct line_seek *s, int64_t want)
{
    *s = (struct line_seek){.on = true, .want = want, .line = 1};
}

bool line_seek_work(struct line_seek *s, const struct pager_file *f, int64_t size)
{
    char *buf = xmalloc(PAGER_SLICE);
    size_t n = f->read ? f->read(f->ctx, s->at, buf, PAGER_SLICE) : 0, i = 0;
    const char *nl;
    while (s->line < s->want && (nl = memchr(buf + i, '\n', n - i))) {
        i = (size_t)(nl - buf) + 1;
        if (s->at + (int64_t)i >= size) /* no line begins behind the last line end */
            break;
        s->start = s->at + (int64_t)i;
        s->line++;
    }
    free(buf);
    s->at += (int64_t)n;
    s->on = s->line < s->want && n && s->at < size;
    return !s->on;
}
