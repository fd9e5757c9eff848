/* format.c - format languages, cells, headers. */
#include "src/cli/listing/format.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "src/base/utf8.h"
#include "src/base/xalloc.h"

#define NAMED_WIDTH 20 /* of -O without a width */
#define WIDTH_MAX   4096

const struct column *column_by_letter(const struct columns *cs, char letter)
{
    for (size_t i = 0; i < cs->n; i++)
        if (cs->v[i].letter == letter)
            return &cs->v[i];
    return NULL;
}

const struct column *column_by_name(const struct columns *cs, const char *name, size_t n)
{
    for (size_t i = 0; n && i < cs->n; i++)
        for (const char *s = cs->v[i].names; s && *s;) {
            size_t len = strcspn(s, " ");
            if (len == n && strncasecmp(s, name, n) == 0)
                return &cs->v[i];
            s += len + (s[len] == ' ');
        }
    return NULL;
}

void format_fini(struct format *f)
{
    vec_for_each (&f->items, i)
        free(f->items.v[i].tail);
    vec_fini(&f->items);
}

static void format_push(struct format *f, const struct column *col, int width, bool right, const char *tail,
                        size_t n)
{
    struct format_item it = {.col = col, .width = width, .right = right};
    it.tail = n ? xstrndup(tail, n) : NULL;
    vec_push(&f->items, it);
}

static void push_unknown(struct strv *unknown, const char *s, size_t n)
{
    if (unknown)
        strv_push_take(unknown, xstrndup(s, n));
}

/* Digits at *p; too large a width is as good as WIDTH_MAX. */
static int take_width(const char **p)
{
    int w = 0;
    for (; isdigit((unsigned char)**p); (*p)++)
        w = w < WIDTH_MAX ? w * 10 + (**p - '0') : w;
    return w < WIDTH_MAX ? w : WIDTH_MAX;
}

static void push_all(struct format *f, const struct columns *cs)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
    const struct column *last = NULL;
    for (const char *l = letters; *l; l++) {
        const struct column *col = column_by_letter(cs, *l);
        if (!col)
            continue;
        if (last)
            format_push(f, last, WIDTH_NATURAL, false, "|", 1);
        last = col;
    }
    if (last)
        format_push(f, last, WIDTH_NATURAL, false, "", 0);
}

void format_parse_letters(struct format *f, const struct columns *cs, const char *spec,
                          struct strv *unknown)
{
    size_t lead = strcspn(spec, "%");
    if (lead)
        format_push(f, NULL, WIDTH_NATURAL, false, spec, lead);
    for (const char *p = spec + lead; *p;) {
        const char *item = p++; /* from the '%' */
        if (strncmp(p, "all", 3) == 0) {
            push_all(f, cs);
            p += 3;
            size_t n = strcspn(p, "%");
            if (n)
                format_push(f, NULL, WIDTH_NATURAL, false, p, n);
            p += n;
            continue;
        }
        bool right = *p == '.';
        p += right;
        bool is_auto = *p == '#';
        p += is_auto;
        int width = take_width(&p);
        if (!*p) { /* nothing that it could be the width of: as it stands */
            push_unknown(unknown, "", 0);
            format_push(f, NULL, WIDTH_NATURAL, false, item, strlen(item));
            return;
        }
        const char *letter = p++;
        size_t tail = strcspn(p, "%");
        const struct column *col = column_by_letter(cs, *letter);
        if (col)
            format_push(f, col, is_auto ? WIDTH_AUTO : width, right, p, tail);
        else if (*letter == '%') {
            format_push(f, NULL, WIDTH_NATURAL, false, letter, 1 + tail);
        } else {
            push_unknown(unknown, letter, 1);
            format_push(f, NULL, WIDTH_NATURAL, false, item, (size_t)(p - item) + tail);
        }
        p += tail;
    }
}

static void parse_name(struct format *f, const struct columns *cs, const char *s, size_t len,
                       struct strv *unknown)
{
    const char *colon = memchr(s, ':', len), *end = s + len;
    size_t name_len = colon ? (size_t)(colon - s) : len;
    const struct column *col = column_by_name(cs, s, name_len);
    if (!col) {
        push_unknown(unknown, s, name_len);
        return;
    }
    if (!colon || colon + 1 == end) {
        format_push(f, col, NAMED_WIDTH, false, "", 0);
        return;
    }
    const char *p = colon + 1;
    bool right = *p == '.';
    p += right;
    bool has_width = p < end && isdigit((unsigned char)*p);
    int width = has_width ? take_width(&p) : p < end ? WIDTH_NATURAL : NAMED_WIDTH;
    format_push(f, col, width, right, p, (size_t)(end - p));
}

void format_parse_names(struct format *f, const struct columns *cs, const char *spec, struct strv *unknown)
{
    for (const char *p = spec; *p;) {
        size_t len = strcspn(p, ",");
        const char *s = p;
        size_t n = len;
        while (n && isspace((unsigned char)*s)) {
            s++;
            n--;
        }
        if (n)
            parse_name(f, cs, s, n, unknown);
        p += len + (p[len] == ',');
    }
}

static bool is_ascii(const char *s, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if ((unsigned char)s[i] >= 0x80)
            return false;
    return true;
}

/* Cuts the text at s to at most width cells; *ret_cells is what is left. A wide character that does not fit
 * whole goes. */
static size_t cut_to_cells(const char *s, size_t n, int width, int *ret_cells)
{
    size_t at = 0;
    int cells = 0;
    while (at < n) {
        uint32_t cp;
        size_t len = utf8_decode(s + at, n - at, &cp);
        int w = len ? utf8_width(cp) : 1;
        w = w < 0 ? 0 : w;
        if (cells + w > width)
            break;
        cells += w;
        at += len ? len : 1;
    }
    *ret_cells = cells;
    return at;
}

void format_fit(struct str *out, size_t at, int width, bool right)
{
    if (width <= 0)
        return;
    size_t n = out->len - at;
    int cells = (int)n;
    if (is_ascii(out->s + at, n)) {
        if (n > (size_t)width) {
            str_truncate(out, at + (size_t)width);
            return;
        }
    } else {
        n = cut_to_cells(out->s + at, n, width, &cells);
        str_truncate(out, at + n);
    }
    size_t pad = (size_t)(width - cells);
    if (!pad)
        return;
    str_reserve(out, pad);
    if (right) {
        memmove(out->s + at + pad, out->s + at, n);
        memset(out->s + at, ' ', pad);
    } else {
        memset(out->s + at + n, ' ', pad);
    }
    out->len += pad;
    out->s[out->len] = '\0';
}

void format_header(struct str *out, const struct format *f)
{
    vec_for_each (&f->items, i) {
        const struct format_item *it = &f->items.v[i];
        size_t at = out->len;
        if (it->col)
            str_append(out, it->col->title);
        format_fit(out, at, it->width, it->right);
        if (it->tail)
            str_append(out, it->tail);
    }
}

static void format_append_cell(struct str *out, const struct format_item *it, const void *row,
                               const void *cx)
{
    size_t at = out->len;
    if (it->col)
        it->col->get(out, row, cx);
    if (it->col && it->col->uncut && it->width > 0 && out->len - at > (size_t)it->width)
        return;
    format_fit(out, at, it->width, it->right);
}

void format_row(struct str *out, const struct format *f, const void *row, const void *cx)
{
    vec_for_each (&f->items, i) {
        format_append_cell(out, &f->items.v[i], row, cx);
        if (f->items.v[i].tail)
            str_append(out, f->items.v[i].tail);
    }
}

void stencil_make(struct stencil *s, const struct format *f, const void *row, const void *cx,
                  bool (*varies)(const struct column *col))
{
    *s = (struct stencil){.text = STR_INIT};
    vec_for_each (&f->items, i) {
        const struct format_item *it = &f->items.v[i];
        if (it->col && varies(it->col))
            vec_push(&s->gaps, (struct stencil_gap){.item = it, .at = s->text.len});
        else
            format_append_cell(&s->text, it, row, cx);
        if (it->tail)
            str_append(&s->text, it->tail);
    }
}

void stencil_fini(struct stencil *s)
{
    str_fini(&s->text);
    vec_fini(&s->gaps);
}

void stencil_row(struct str *out, const struct stencil *s, const void *row, const void *cx)
{
    size_t done = 0;
    vec_for_each (&s->gaps, i) {
        const struct stencil_gap *g = &s->gaps.v[i];
        str_append_n(out, s->text.s + done, g->at - done);
        done = g->at;
        format_append_cell(out, g->item, row, cx);
    }
    str_append_n(out, s->text.s + done, s->text.len - done);
}

void format_fix_widths(struct format *f, const void *const *rows, size_t n, const void *cx)
{
    struct str cell = STR_INIT;
    vec_for_each (&f->items, i) {
        struct format_item *it = &f->items.v[i];
        if (it->width != WIDTH_AUTO)
            continue;
        int width = cell_width(it->col->title);
        for (size_t r = 0; r < n; r++) {
            str_clear(&cell);
            it->col->get(&cell, rows[r], cx);
            int w = cell_width(cell.s);
            width = w > width ? w : width;
        }
        it->width = width;
    }
    str_fini(&cell);
}

void text_append_foreign(struct str *out, const char *s, const char *null)
{
    if (!s) {
        str_append(out, null);
        return;
    }
    size_t n = 0;
    while (s[n] >= ' ' && s[n] <= '~')
        n++;
    if (!s[n])
        str_append_n(out, s, n);
    else
        cell_text(out, s, -1, false, false);
}
