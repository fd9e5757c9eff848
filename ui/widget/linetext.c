/* linetext.c - a line of output as a terminal would leave it. */
#include "ui/widget/linetext.h"

#include <stdlib.h>
#include <string.h>

#include "src/base/utf8.h"
#include "src/base/xalloc.h"
#include "ui/widget/sgr.h"

#define TAB           8
#define ESCAPED_CELLS 4 /* "\x1B" */

void linetext_init(struct linetext *t)
{
    *t = (struct linetext){0};
    str_init(&t->text);
}

void linetext_fini(struct linetext *t)
{
    str_fini(&t->text);
    free(t->spans);
    *t = (struct linetext){0};
}

/* --- control sequences --- */

/* Bytes of the control sequence at s, which begins with ESC; 0 where it does not end in the line. */
static size_t escape_bytes(const char *s, size_t n)
{
    if (n < 2)
        return 0;
    size_t i = 2;
    if (s[1] == '[') { /* CSI: parameters, then a byte of @..~ */
        while (i < n && s[i] >= 0x20 && s[i] < 0x40)
            i++;
        return i < n && s[i] >= 0x40 && s[i] <= 0x7e ? i + 1 : 0;
    }
    if (s[1] == ']' || s[1] == 'P' || s[1] == '_' || s[1] == '^' || s[1] == 'X') { /* up to BEL or ESC \ */
        while (i < n && s[i] != '\a' && !(s[i] == 0x1b && i + 1 < n && s[i + 1] == '\\'))
            i++;
        return i >= n ? 0 : s[i] == '\a' ? i + 1 : i + 2;
    }
    if (s[1] >= 0x20 && s[1] < 0x30) /* ESC ( B */
        return n > 2 ? 3 : 0;
    return s[1] >= 0x30 && s[1] <= 0x7e ? 2 : 0; /* ESC 7 */
}

/* --- the line, character by character --- */

struct folding {
    struct linetext *t; /* its text is not yet escaped, its spans are of that */
    struct style ink;
    int col;
};

static bool same_ink(struct style a, struct style b)
{
    return a.fg == b.fg && a.bg == b.bg && a.attr == b.attr;
}

static void end_span(struct folding *f, struct style ink)
{
    struct linetext *t = f->t;
    size_t before = t->n_spans ? t->spans[t->n_spans - 1].end : 0;
    if (t->text.len <= before)
        return;
    if (t->n_spans && same_ink(t->spans[t->n_spans - 1].ink, ink)) {
        t->spans[t->n_spans - 1].end = t->text.len;
        return;
    }
    if (t->n_spans == t->cap) {
        t->cap = t->cap ? t->cap * 2 : 8;
        t->spans = xreallocarray(t->spans, t->cap, sizeof *t->spans);
    }
    t->spans[t->n_spans++] = (struct text_span){.end = t->text.len, .ink = ink};
}

static int cells_of(const char *s, size_t n, size_t *ret_len)
{
    uint32_t cp;
    *ret_len = utf8_decode(s, n, &cp);
    int w = *ret_len ? utf8_width(cp) : -1;
    if (!*ret_len)
        *ret_len = 1;
    return w < 0 ? ESCAPED_CELLS : w;
}

static void linetext_take_back(struct folding *f)
{
    struct linetext *t = f->t;
    if (!t->text.len)
        return;
    size_t len = utf8_before(t->text.s, t->text.len), used;
    f->col -= cells_of(t->text.s + len, t->text.len - len, &used);
    str_truncate(&t->text, len);
    while (t->n_spans && t->spans[t->n_spans - 1].end > len) {
        t->spans[t->n_spans - 1].end = len;
        if (t->n_spans > 1 ? t->spans[t->n_spans - 2].end < len : len > 0)
            break;
        t->n_spans--;
    }
}

/* Where what the last carriage return left begins: one that nothing was written after overwrote nothing. */
static size_t linetext_last_pass(const char *s, size_t n)
{
    size_t from = n;
    while (from > 0 && s[from - 1] != '\r')
        from--;
    return from;
}

static size_t fold_escape(struct folding *f, const char *s, size_t n)
{
    size_t k = escape_bytes(s, n);
    if (!k) { /* shown, and what follows too */
        str_append_char(&f->t->text, *s);
        f->col += ESCAPED_CELLS;
        return 1;
    }
    if (s[1] == '[' && s[k - 1] == 'm') {
        end_span(f, f->ink);
        sgr_apply(&f->ink, s + 2, k - 3);
    }
    return k;
}

static size_t fold_one(struct folding *f, const char *s, size_t n)
{
    size_t len = 1;
    if (*s == 0x1b)
        return fold_escape(f, s, n);
    if (*s == '\t') {
        do {
            str_append_char(&f->t->text, ' ');
            f->col++;
        } while (f->col % TAB);
    } else if (*s == '\b') {
        linetext_take_back(f);
    } else if (*s == '\0') {
        str_append(&f->t->text, "\xef\xbf\xbd");
        f->col++;
    } else if (*s != '\a' && *s != '\n') {
        f->col += cells_of(s, n, &len);
        str_append_n(&f->t->text, s, len);
    }
    return len;
}

/* What is left of control characters is escaped, span by span. */
static void linetext_make_printable(struct linetext *t)
{
    struct str out = STR_INIT, part = STR_INIT;
    size_t from = 0;
    for (size_t i = 0; i < t->n_spans; i++) {
        str_clear(&part);
        str_append_n(&part, t->text.s + from, t->spans[i].end - from);
        from = t->spans[i].end;
        cell_text(&out, part.s, -1, false, false);
        t->spans[i].end = out.len;
    }
    str_fini(&part);
    str_fini(&t->text);
    t->text = out;
}

void linetext_set(struct linetext *t, const char *s, size_t n)
{
    struct folding f = {.t = t};
    str_clear(&t->text);
    t->n_spans = 0;
    while (n > 0 && (s[n - 1] == '\n' || s[n - 1] == '\r'))
        n--;
    size_t from = linetext_last_pass(s, n);
    s += from;
    n -= from;
    for (size_t i = 0; i < n;)
        i += fold_one(&f, s + i, n - i);
    end_span(&f, f.ink);
    linetext_make_printable(t);
}
