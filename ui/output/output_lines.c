/* output_lines.c - the lines of an output that contain a text. */
#include "ui/output/output_lines.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "src/base/xalloc.h"
#include "ui/output/output_stream.h"

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
    *f = (struct line_filter){.fd = -1, .lines = STR_INIT, .last = STR_INIT};
}

void line_filter_begin(struct line_filter *f, const char *text)
{
    bool without = text && *text == '!' && text[1];
    if (f->fd >= 0)
        close(f->fd);
    f->fd = -1;
    line_scan_begin(&f->scan, str_is_empty(text) ? NULL : text + without, without);
    str_fini(&f->lines);
    str_fini(&f->last);
    str_init(&f->lines);
    str_init(&f->last);
    f->size = 0;
    f->full = false;
    if (f->scan.text)
        f->fd = stream_nameless();
}

void line_filter_restart(struct line_filter *f)
{
    f->scan.at = f->size = 0;
    f->scan.seen = -1;
    f->full = false;
    str_clear(&f->last);
}

bool line_filter_has_work(const struct line_filter *f, int64_t size)
{
    return f->scan.text && f->scan.seen != size && !f->full;
}

static void line_filter_found(void *ctx, int64_t at, const char *line, size_t n, bool whole)
{
    (void)at;
    struct line_filter *f = ctx;
    str_append_n(whole ? &f->lines : &f->last, line, n);
}

int64_t line_filter_work(struct line_filter *f, const struct pager_file *source, int64_t size)
{
    int64_t before = f->size;
    struct str last = f->last;
    str_init(&f->last);
    str_clear(&f->lines);
    line_scan_slice(&f->scan, source, size, line_filter_found, f);
    size_t n = f->lines.len;
    if (f->fd < 0 || f->size + (int64_t)n > LINE_FILTER_MAX ||
        pwrite(f->fd, f->lines.s, n, f->size) != (ssize_t)n)
        f->full = true;
    else
        f->size += (int64_t)n;
    bool same = f->size == before && f->last.len == last.len &&
                (!last.len || memcmp(f->last.s, last.s, last.len) == 0);
    str_fini(&last);
    return same ? -1 : before;
}

int64_t line_filter_size(void *filter)
{
    const struct line_filter *f = filter;
    return f->size + (int64_t)f->last.len;
}

size_t line_filter_read(void *filter, int64_t at, char *buf, size_t n)
{
    const struct line_filter *f = filter;
    size_t got = 0;
    if (at < f->size && f->fd >= 0) {
        size_t left = (size_t)(f->size - at);
        ssize_t k = pread(f->fd, buf, n < left ? n : left, at);
        if (k <= 0)
            return 0;
        got = (size_t)k;
    }
    int64_t last = at + (int64_t)got - f->size;
    if (last >= 0 && last < (int64_t)f->last.len && got < n) {
        size_t left = f->last.len - (size_t)last;
        left = left < n - got ? left : n - got;
        memcpy(buf + got, f->last.s + last, left);
        got += left;
    }
    return got;
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
