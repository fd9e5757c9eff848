/* filter.c - the words of a filter line. */
#include "ui/widget/filter.h"

#include <stdlib.h>
#include <string.h>

#include "src/base/str.h"
#include "src/base/units.h"
#include "src/base/xalloc.h"

void filter_fini(struct filter *f)
{
    for (size_t i = 0; i < f->n; i++) {
        free(f->v[i].text);
        free(f->v[i].low);
    }
    free(f->v);
    *f = (struct filter){0};
}

static char low(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c + ('a' - 'A')) : c;
}

/* Texts are short and there are hundreds of thousands of them: what strcasestr prepares for a long one
 * would cost more than looking. */
static bool contains(const char *text, const char *word)
{
    if (!*word)
        return true;
    for (; *text; text++) {
        if (low(*text) != *word)
            continue;
        size_t i = 1;
        while (word[i] && low(text[i]) == word[i])
            i++;
        if (!word[i])
            return true;
    }
    return false;
}

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
    if (!strchr("<>=", s[0]))
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

static void parse_word(struct term_word *w, const char *s, filter_column_fn *column_of, const void *ctx)
{
    enum filter_unit unit = FILTER_PLAIN;
    *w = (struct term_word){.column = -1, .op = ':'};
    if (s[0] == '!' && s[1]) {
        w->negate = true;
        s++;
    }
    const char *colon = strchr(s, ':');
    if (colon && colon > s) {
        char *name = xstrndup(s, (size_t)(colon - s));
        w->column = column_of(ctx, name, &unit);
        free(name);
    }
    if (w->column >= 0) {
        s = colon + 1;
        if (*s)
            s = parse_comparison(w, s, unit);
    }
    w->text = xstrdup(s);
    w->low = xstrdup(s);
    for (char *c = w->low; *c; c++)
        *c = low(*c);
}

void filter_parse(struct filter *f, const char *text, filter_column_fn *column_of, const void *ctx)
{
    filter_fini(f);
    struct strv words = strv_split(text, " ");
    f->v = words.n ? xcalloc(words.n, sizeof *f->v) : NULL;
    for (size_t i = 0; i < words.n; i++)
        parse_word(&f->v[f->n++], words.v[i], column_of, ctx);
    strv_fini(&words);
}

bool filter_wants_number(const struct term_word *w)
{
    return w->column >= 0 && w->op == ':' && (w->text[0] == '<' || w->text[0] == '>');
}

static bool match_column(const struct term_word *w, const struct filter_row *r, size_t column)
{
    if (w->op == ':')
        return contains(r->text(r->ctx, r->row, column), w->low);
    if (w->op == '~')
        return str_ieq(r->text(r->ctx, r->row, column), w->text);
    double num;
    if (!r->number(r->ctx, r->row, column, &num))
        return false;
    switch (w->op) {
    case '<': return num < w->num;
    case '>': return num > w->num;
    case 'l': return num <= w->num;
    case 'g': return num >= w->num;
    default: return num >= w->num && num <= w->num;
    }
}

static bool match_word(const struct term_word *w, const struct filter_row *r)
{
    if (w->column >= 0)
        return match_column(w, r, (size_t)w->column);
    for (size_t i = 0; i < r->n_columns; i++)
        if (r->is_words(r->ctx, i) && match_column(w, r, i))
            return true;
    return false;
}

static bool word_narrows(const struct term_word *before, const struct term_word *now)
{
    if (before->negate != now->negate || before->column != now->column || before->op != now->op)
        return false;
    if (str_eq(before->text, now->text))
        return true;
    return now->op == ':' && !now->negate && contains(now->low, before->low);
}

bool filter_narrows(const struct filter *before, const struct filter *now)
{
    bool narrows = before->n > 0 && before->n <= now->n;
    for (size_t i = 0; narrows && i < before->n; i++)
        narrows = word_narrows(&before->v[i], &now->v[i]);
    return narrows;
}

bool filter_match(const struct filter *f, const struct filter_row *r)
{
    for (int any_column = 0; any_column < 2; any_column++) /* what is quickly known goes first */
        for (size_t i = 0; i < f->n; i++)
            if ((f->v[i].column < 0) == any_column && match_word(&f->v[i], r) == f->v[i].negate)
                return false;
    return true;
}
