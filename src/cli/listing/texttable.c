/* texttable.c - tables for people. */
#include "src/cli/listing/texttable.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "src/base/utf8.h"
#include "src/base/xalloc.h"
#include "src/cli/ask.h"
#include "src/lang/lang.h"
#include "src/values/units.h"

#define GAP      2
#define COLS_MAX 24

void texttable_fini(struct texttable *t)
{
    vec_for_each (&t->cells, i)
        free(t->cells.v[i].text);
    vec_fini(&t->cells);
}

void texttable_add(struct texttable *t, enum tone tone, const char *text)
{
    struct table_cell c = {.text = xstrdup(str_is_empty(text) ? "-" : text), .tone = tone};
    vec_push(&t->cells, c);
}

void texttable_addf(struct texttable *t, enum tone tone, const char *fmt, ...)
{
    struct str s = STR_INIT;
    va_list ap;
    va_start(ap, fmt);
    str_vappendf(&s, fmt, ap);
    va_end(ap);
    struct table_cell c = {.text = str_take(&s), .tone = tone};
    vec_push(&t->cells, c);
}

size_t texttable_rows(const struct texttable *t)
{
    return t->cells.n / t->n_cols;
}

struct layout {
    int width[COLS_MAX]; /* 0: left out */
};

static int total_width(const struct layout *l, size_t n)
{
    int sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += l->width[i] ? l->width[i] + GAP : 0;
    return sum ? sum - GAP : 0;
}

/* Takes what is too much from the flexible columns, the widest first, cell by cell. */
static void shrink(const struct texttable *t, struct layout *l, int too_much)
{
    while (too_much > 0) {
        size_t widest = t->n_cols;
        for (size_t i = 0; i < t->n_cols; i++)
            if (t->cols[i].flex && l->width[i] > t->cols[i].flex &&
                (widest == t->n_cols || l->width[i] > l->width[widest]))
                widest = i;
        if (widest == t->n_cols)
            return;
        l->width[widest]--;
        too_much--;
    }
}

static int natural_width(const struct texttable *t, size_t col)
{
    int width = cell_width(tr(t->cols[col].title));
    for (size_t k = col; k < t->cells.n; k += t->n_cols) {
        int w = cell_width(t->cells.v[k].text);
        width = w > width ? w : width;
    }
    return t->cols[col].max && width > t->cols[col].max ? t->cols[col].max : width;
}

static void lay_out(const struct texttable *t, int width, struct layout *l)
{
    struct layout natural = {.width = {0}};
    for (size_t i = 0; i < t->n_cols; i++)
        natural.width[i] = natural_width(t, i);
    for (;;) {
        *l = natural;
        if (width <= 0)
            return;
        shrink(t, l, total_width(l, t->n_cols) - width);
        if (total_width(l, t->n_cols) <= width)
            return;
        size_t drop = t->n_cols;
        for (size_t i = 0; i < t->n_cols; i++)
            if (natural.width[i] && t->cols[i].drop &&
                (drop == t->n_cols || t->cols[i].drop > t->cols[drop].drop))
                drop = i;
        if (drop == t->n_cols)
            return;
        natural.width[drop] = 0;
    }
}

const char *tone_on(enum tone tone, bool color)
{
    static const char *const codes[] = {
        [TONE_PLAIN] = "",         [TONE_GOOD] = "\033[1;32m", [TONE_WAIT] = "\033[33m",
        [TONE_BAD] = "\033[1;31m", [TONE_DIM] = "\033[2m",     [TONE_WARN] = "\033[35m"};
    return color ? codes[tone] : "";
}

const char *tone_off(enum tone tone, bool color)
{
    return color && tone != TONE_PLAIN ? "\033[0m" : "";
}

static void put_cell(struct str *out, const char *text, enum tone tone, bool color, int width, bool right,
                     bool last)
{
    struct str cell = STR_INIT;
    int cells = cell_text(&cell, text, width, true, false);
    int pad = width - cells;
    if (right)
        str_appendf(out, "%*s", pad, "");
    str_append(out, tone_on(tone, color));
    str_append(out, cell.s);
    str_append(out, tone_off(tone, color));
    if (!right && !last)
        str_appendf(out, "%*s", pad, "");
    if (!last)
        str_appendf(out, "%*s", GAP, "");
    str_fini(&cell);
}

void texttable_print(const struct texttable *t, struct str *out, unsigned width, bool color)
{
    struct layout l = {.width = {0}};
    bug_on(t->n_cols > COLS_MAX || t->cells.n % t->n_cols);
    lay_out(t, (int)width, &l);
    size_t last = 0;
    for (size_t i = 0; i < t->n_cols; i++)
        last = l.width[i] ? i : last;
    for (size_t i = 0; i < t->n_cols; i++)
        if (l.width[i])
            put_cell(out, tr(t->cols[i].title), TONE_DIM, color, l.width[i], t->cols[i].right, i == last);
    str_append_char(out, '\n');
    for (size_t k = 0; k < t->cells.n; k++) {
        size_t i = k % t->n_cols;
        const struct table_cell *c = &t->cells.v[k];
        if (l.width[i])
            put_cell(out, c->text, c->tone, color, l.width[i], t->cols[i].right, i == last);
        if (i == t->n_cols - 1)
            str_append_char(out, '\n');
    }
}

unsigned listing_width(void)
{
    unsigned width = terminal_width();
    const char *columns = getenv("COLUMNS");
    int64_t n;
    if (!width && columns && int_parse(columns, 20, 10000, &n, NULL) == 0)
        width = (unsigned)n;
    return width;
}

void bar_append(struct str *out, uint64_t used, uint64_t total, unsigned cells)
{
    if (!total)
        return;
    /* Something used never looks empty, something free never looks full. */
    uint64_t full = used >= total ? cells : used * cells / total;
    if (used && !full)
        full = 1;
    str_append_char(out, '[');
    for (unsigned i = 0; i < cells; i++)
        str_append_char(out, i < full ? '#' : '.');
    str_append_char(out, ']');
}
