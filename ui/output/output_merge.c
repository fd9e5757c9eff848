/* output_merge.c - many outputs as one. */
#include "ui/output/output_merge.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "src/base/utf8.h"
#include "src/base/xalloc.h"
#include "src/lang/lang.h"

#define BUDGET    (32 * 1024 * 1024) /* bytes of the existing text, over all outputs */
#define PART_MAX  (4 * 1024 * 1024)  /* of one of them, ... */
#define PART_MIN  (64 * 1024)        /* ... and at least */
#define TURN_MAX  (256 * 1024)       /* of each, later on, at a time */
#define LINE_MAX_ (64 * 1024)        /* a longer line is split */
#define HALF_MAX  (4 * 1024)         /* shown of a line that has no end yet */

struct merge_line {
    int64_t time;
    size_t part, order, at, n; /* at: in the text of this turn */
};

struct merge_batch { /* what one turn takes */
    VEC(struct merge_line) lines;
    struct str text;
};

void merge_init(struct output_merge *m)
{
    *m = (struct output_merge){.kept = KEPT_LINES_CLOSED};
    kept_lines_open(&m->kept);
}

void merge_fini(struct output_merge *m)
{
    kept_lines_close(&m->kept);
    vec_for_each (&m->parts, i)
        str_fini(&m->parts.v[i].half);
    vec_fini(&m->parts);
    *m = (struct output_merge){.kept = KEPT_LINES_CLOSED};
}

void merge_add(struct output_merge *m, struct stream *s)
{
    int w = cell_width(s->label);
    m->label = w > m->label ? w : m->label;
    vec_push(&m->parts, (struct merge_part){.stream = s, .time = -1, .half = STR_INIT});
}

/* --- times --- */

/* n digits at s; -1: not digits. */
static int64_t output_merge_digits(const char *s, size_t n, size_t want)
{
    int64_t v = 0;
    if (n < want)
        return -1;
    for (size_t i = 0; i < want; i++) {
        if (s[i] < '0' || s[i] > '9')
            return -1;
        v = v * 10 + (s[i] - '0');
    }
    return v;
}

/* "12:34:56", with or without a fraction of a second. */
static int64_t clock_ms(const char *s, size_t n)
{
    int64_t h = output_merge_digits(s, n, 2), min, sec, ms = 0;
    if (h < 0 || h > 24 || n < 8 || s[2] != ':' || s[5] != ':')
        return -1;
    min = output_merge_digits(s + 3, n - 3, 2);
    sec = output_merge_digits(s + 6, n - 6, 2);
    if (min < 0 || min > 59 || sec < 0 || sec > 60)
        return -1;
    if (n > 11 && (s[8] == '.' || s[8] == ','))
        ms = output_merge_digits(s + 9, n - 9, 3);
    return ((h * 60 + min) * 60 + sec) * 1000 + (ms > 0 ? ms : 0);
}

/* The time at the beginning of a line, in milliseconds of the day or since an epoch; -1: none. */
static int64_t line_time(const char *line, size_t n)
{
    while (n && (*line == '[' || *line == '(' || *line == ' ')) {
        line++;
        n--;
    }
    int64_t year = output_merge_digits(line, n, 4);
    if (year < 0)
        return clock_ms(line, n);
    if (n < 19 || (line[4] != '-' && line[4] != '/') || line[7] != line[4] ||
        (line[10] != 'T' && line[10] != ' '))
        return -1;
    int64_t month = output_merge_digits(line + 5, n - 5, 2), day = output_merge_digits(line + 8, n - 8, 2);
    int64_t ms = clock_ms(line + 11, n - 11);
    /* Only the order counts, so each month may have 31 days. */
    return month < 0 || day < 0 || ms < 0 ? -1 : ((year * 12 + month) * 31 + day) * 86400000 + ms;
}

/* --- a turn --- */

static int64_t budget(const struct output_merge *m)
{
    int64_t each = BUDGET / (int64_t)m->parts.n;
    return each > PART_MAX ? PART_MAX : each < PART_MIN ? PART_MIN : each;
}

/* The first piece of an output: from the beginning of a line near its end. */
static void begin_part(struct output_merge *m, struct merge_part *p)
{
    int64_t size = stream_size(p->stream), want = budget(m);
    p->begun = true;
    if (size <= want)
        return;
    char buf[4096];
    p->at = size - want;
    size_t n = stream_read(p->stream, p->at, buf, sizeof buf);
    const char *nl = memchr(buf, '\n', n);
    p->at += nl ? nl - buf + 1 : 0;
}

static void output_merge_add_line(struct merge_batch *b, struct merge_part *p, size_t part, const char *s,
                                  size_t n)
{
    int64_t t = line_time(s, n);
    p->time = t >= 0 ? t : p->time;
    vec_push(&b->lines, (struct merge_line){
                            .time = p->time, .part = part, .order = b->lines.n, .at = b->text.len, .n = n});
    str_append_n(&b->text, s, n);
}

/* The start of the text after the last carriage return; those at the end overwrote nothing. */
static size_t output_merge_last_pass(const char *s, size_t n)
{
    while (n && s[n - 1] == '\r')
        n--;
    const char *cr = n ? memrchr(s, '\r', n) : NULL;
    return cr ? (size_t)(cr - s) + 1 : 0;
}

/* Returns the bytes that are lines or were overwritten; half: a line without an end counts. */
static size_t cut_lines(struct merge_batch *b, struct merge_part *p, size_t part, const char *s, size_t n,
                        bool half)
{
    size_t at = 0;
    while (at < n) {
        const char *nl = memchr(s + at, '\n', n - at);
        size_t len = nl ? (size_t)(nl - s) - at : n - at,
               over = nl || half ? 0 : output_merge_last_pass(s + at, len);
        if (over) { /* a progress bar would be read again and again, longer each time */
            at += over;
            continue;
        }
        if (!nl && !half && len < LINE_MAX_)
            break;
        len = len > LINE_MAX_ ? LINE_MAX_ : len;
        output_merge_add_line(b, p, part, s + at, len);
        at += len + (at + len < n && s[at + len] == '\n');
    }
    return at;
}

/* The unfinished line. */
static void keep_half(struct merge_part *p, const char *s, size_t n)
{
    size_t skip = output_merge_last_pass(s, n);
    n -= skip;
    str_clear(&p->half);
    str_append_n(&p->half, s + skip, n > HALF_MAX ? HALF_MAX : n);
}

/* Returns true if there is more. */
static bool take_part(struct output_merge *m, struct merge_batch *b, size_t part, bool ended)
{
    struct merge_part *p = &m->parts.v[part];
    if (!stream_is_there(p->stream))
        return false;
    int64_t size = stream_size(p->stream);
    if (size < p->at) /* begun again */
        p->at = 0;
    bool first = !p->begun;
    if (first)
        begin_part(m, p);
    if (size <= p->at) {
        str_clear(&p->half);
        return false;
    }
    size_t max = first ? (size_t)budget(m) : TURN_MAX;
    max = (int64_t)max > size - p->at ? (size_t)(size - p->at) : max;
    char *buf = xmalloc(max);
    size_t n = stream_read(p->stream, p->at, buf, max);
    bool whole = p->at + (int64_t)n >= size;
    size_t used = cut_lines(b, p, part, buf, n, whole && ended);
    if (whole)
        keep_half(p, buf + used, n - used);
    free(buf);
    p->at += (int64_t)used;
    return used && !whole;
}

static int output_merge_by_time(const void *pa, const void *pb)
{
    const struct merge_line *a = pa, *b = pb;
    if (a->time != b->time)
        return (a->time > b->time) - (a->time < b->time);
    return (a->order > b->order) - (a->order < b->order);
}

/* A colour for each output, so that a reader can follow it; red is for errors. */
static void add_label(const struct output_merge *m, size_t part, struct str *out)
{
    static const int colors[] = {36, 32, 33, 35, 34};
    const char *label = m->parts.v[part].stream->label;
    int pad = m->label - cell_width(label);
    str_appendf(out, "\033[%dm%*s%s:\033[0m ", colors[part % (sizeof colors / sizeof colors[0])],
                pad > 0 ? pad : 0, "", label);
}

/* The label stays when a carriage return overwrites the line. */
static void output_merge_add_text(struct str *out, const char *s, size_t n)
{
    while (n && s[n - 1] == '\r')
        n--;
    size_t skip = output_merge_last_pass(s, n);
    str_append_n(out, s + skip, n - skip);
}

static void output_merge_write_lines(struct output_merge *m, struct merge_batch *b, bool ended)
{
    struct str out = STR_INIT;
    if (b->lines.n > 1)
        qsort(b->lines.v, b->lines.n, sizeof *b->lines.v, output_merge_by_time);
    bool timed = b->lines.n && b->lines.v[b->lines.n - 1].time >= 0;
    vec_for_each (&b->lines, i) {
        const struct merge_line *l = &b->lines.v[i];
        add_label(m, l->part, &out);
        output_merge_add_text(&out, b->text.s + l->at, l->n);
        str_append_char(&out, '\n');
    }
    if (!m->live && !ended && b->lines.n && !timed && m->parts.n > 1)
        str_appendf(&out, "\033[2m--- %s ---\033[0m\n", tr("above: file after file; below: live"));
    m->live |= b->lines.n > 0;
    kept_lines_add(&m->kept, out.s, out.len);
    str_fini(&out);
}

/* After all lines, the unfinished line of each output. Returns whether they are others than before. */
static bool write_halves(struct output_merge *m)
{
    struct str out = STR_INIT;
    vec_for_each (&m->parts, i) {
        const struct str *half = &m->parts.v[i].half;
        if (!half->len)
            continue;
        add_label(m, i, &out);
        output_merge_add_text(&out, half->s, half->len);
        str_append_char(&out, '\n');
    }
    return kept_lines_end_with(&m->kept, &out);
}

bool merge_work(struct output_merge *m, bool ended, bool *ret_changed)
{
    struct merge_batch b = {.text = STR_INIT};
    int64_t size = m->kept.size;
    bool more = false;
    vec_for_each (&m->parts, i)
        more |= take_part(m, &b, i, ended);
    output_merge_write_lines(m, &b, ended);
    bool other_halves = write_halves(m);
    *ret_changed = other_halves || m->kept.size != size;
    vec_fini(&b.lines);
    str_fini(&b.text);
    return more;
}
