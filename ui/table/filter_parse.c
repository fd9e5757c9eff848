/* filter_parse.c - a filter line is taken apart into words. */
#include <stdlib.h>
#include <string.h>

#include "src/base/str.h"
#include "src/base/xalloc.h"
#include "src/values/units.h"
#include "ui/table/filter.h"

/* Where the reader is in the line. */
struct filter_line {
    const char *text, *s;
    filter_column_fn *column_of;
    const void *ctx;
    struct filter *out;
};

void filter_fini(struct filter *f)
{
    for (size_t i = 0; i < f->n; i++) {
        free(f->v[i].text);
        free(f->v[i].low);
        free(f->v[i].error);
        if (f->v[i].re)
            regfree(f->v[i].re);
        free(f->v[i].re);
    }
    free(f->v);
    *f = (struct filter){0};
}

/* --- a word --- */

static bool filter_parse_number(const char *s, enum filter_unit unit, double *ret)
{
    char *end;
    uint32_t seconds;
    uint64_t mib;
    *ret = strtod(s, &end);
    if (end != s && !*end)
        return true;
    if (unit == FILTER_SECONDS && !duration_parse_conf(s, &seconds, NULL))
        *ret = seconds;
    else if (unit == FILTER_MIB && !mem_parse_mib(s, &mib, NULL))
        *ret = (double)mib;
    else
        return false;
    return true;
}

/* Returns what is left of s as text. */
static const char *parse_comparison(struct term_word *w, const char *s, enum filter_unit unit)
{
    bool equal = (s[0] == '<' || s[0] == '>') && s[1] == '=';
    double num;
    if (!*s || !strchr("<>=", s[0]))
        return s;
    if (filter_parse_number(s + (equal ? 2 : 1), unit, &num)) {
        w->op = !equal ? s[0] : s[0] == '<' ? 'l' : 'g';
        w->num = num;
    } else if (s[0] == '=' && s[1]) {
        w->op = '~';
        s++;
    }
    return s;
}

static void compile(struct term_word *w)
{
    char text[200];
    w->re = xcalloc(1, sizeof *w->re);
    int rc = regcomp(w->re, w->text, REG_EXTENDED | REG_ICASE | REG_NOSUB);
    if (!rc) {
        w->op = '/';
        return;
    }
    regerror(rc, w->re, text, sizeof text);
    free(w->re);
    w->re = NULL;
    w->op = 'e';
    w->error = xstrdup(text);
}

static void word_take_text(struct term_word *w, char *take_text)
{
    w->text = take_text;
    w->low = xstrdup(take_text);
    for (char *c = w->low; *c; c++)
        *c = *c >= 'A' && *c <= 'Z' ? (char)(*c + ('a' - 'A')) : *c;
}

/* --- the line --- */

static bool ends_word(char c)
{
    return !c || c == ' ' || c == '|';
}

/* "\/" is a slash of the expression. */
static char *regex_text(const char *s, size_t n)
{
    struct str out = STR_INIT;
    for (size_t i = 0; i < n; i++) {
        if (s[i] == '\\' && i + 1 < n && s[i + 1] == '/')
            i++;
        else if (s[i] == '\\' && i + 1 < n)
            str_append_char(&out, s[i++]);
        str_append_char(&out, s[i]);
    }
    return str_take(&out);
}

/* The slash that ends an expression: the next one with nothing of a word behind it; else the next blank
 * ends it. */
static char *take_regex(struct filter_line *l)
{
    const char *s = l->s + 1;
    size_t n = 0;
    for (; s[n] && !(s[n] == '/' && ends_word(s[n + 1])); n++)
        if (s[n] == '\\' && s[n + 1])
            n++;
    bool closed = s[n];
    n = closed ? n : strcspn(s, " ");
    l->s = s + n + closed;
    return regex_text(s, n);
}

static char *take_quoted(struct filter_line *l)
{
    const char *s = l->s + 1;
    size_t n = strcspn(s, "\"");
    l->s = s + n + (s[n] != 0);
    return xstrndup(s, n);
}

/* A column's name and the colon, if they stand here. */
static int take_column(struct filter_line *l, enum filter_unit *unit)
{
    size_t n = strcspn(l->s, ": |\"");
    *unit = FILTER_PLAIN;
    if (!n || l->s[n] != ':')
        return -1;
    char *name = xstrndup(l->s, n);
    int column = l->column_of(l->ctx, name, unit);
    free(name);
    l->s += column >= 0 ? n + 1 : 0;
    return column;
}

static void filter_take_value(struct filter_line *l, struct term_word *w, enum filter_unit unit)
{
    if (*l->s == '/') {
        word_take_text(w, take_regex(l));
        compile(w);
        return;
    }
    bool is = w->column >= 0 && l->s[0] == '=' && l->s[1] == '"';
    l->s += is;
    if (*l->s == '"') {
        word_take_text(w, take_quoted(l));
        w->op = is ? '~' : ':';
        w->quoted = true;
        return;
    }
    size_t n = 0;
    while (!ends_word(l->s[n]))
        n++;
    char *text = xstrndup(l->s, n);
    l->s += n;
    word_take_text(w, xstrdup(w->column >= 0 ? parse_comparison(w, text, unit) : text));
    free(text);
}

/* A word and what hangs on it by "|" without a blank: the same column, and the same "!". */
static void take_word(struct filter_line *l, bool either)
{
    struct filter *f = l->out;
    bool negate = l->s[0] == '!' && l->s[1] && l->s[1] != ' ', attached = false;
    enum filter_unit unit = FILTER_PLAIN;
    int column = -1;
    for (const char *begin = l->s += negate;; begin = ++l->s) {
        enum filter_unit own_unit;
        int own = take_column(l, &own_unit);
        column = own >= 0 || !attached ? own : column;
        unit = own >= 0 || !attached ? own_unit : unit;
        f->v = xreallocarray(f->v, f->n + 1, sizeof *f->v);
        struct term_word *w = &f->v[f->n++];
        *w = (struct term_word){.column = column,
                                .op = ':',
                                .negate = negate,
                                .either = attached ? !negate : either, /* neither: both are not */
                                .at = (size_t)(begin - l->text)};
        filter_take_value(l, w, unit);
        w->to = (size_t)(l->s - l->text);
        attached = true;
        if (*l->s != '|' || ends_word(l->s[1]))
            return;
    }
}

void filter_parse(struct filter *f, const char *text, filter_column_fn *column_of, const void *ctx)
{
    filter_fini(f);
    struct filter_line l = {.text = text, .s = text, .column_of = column_of, .ctx = ctx, .out = f};
    bool either = false;
    for (;;) {
        while (*l.s == ' ' || *l.s == '|') {
            either = either || *l.s == '|';
            l.s++;
        }
        if (!*l.s)
            return;
        take_word(&l, either && f->n);
        either = false;
    }
}
