/* filter.c - the words of a filter line. */
#include "ui/widget/filter.h"

#include <stdlib.h>
#include <string.h>

#include "src/base/str.h"
#include "src/base/xalloc.h"

void filter_fini(struct filter *f)
{
    for (size_t i = 0; i < f->n; i++)
        free(f->v[i].text);
    free(f->v);
    *f = (struct filter){0};
}

static void parse_word(struct term_word *w, const char *s,
                       int (*column_of)(const void *ctx, const char *name), const void *ctx)
{
    *w = (struct term_word){.column = -1, .op = ':'};
    if (s[0] == '!' && s[1]) {
        w->negate = true;
        s++;
    }
    const char *colon = strchr(s, ':');
    if (colon && colon > s) {
        char *name = xstrndup(s, (size_t)(colon - s));
        w->column = column_of(ctx, name);
        free(name);
    }
    if (w->column >= 0) {
        s = colon + 1;
        char *end;
        if ((*s == '<' || *s == '>' || *s == '=') && s[1]) {
            double num = strtod(s + 1, &end);
            if (!*end) {
                w->op = *s;
                w->num = num;
            }
        }
    }
    w->text = xstrdup(s);
}

void filter_parse(struct filter *f, const char *text, int (*column_of)(const void *ctx, const char *name),
                  const void *ctx)
{
    filter_fini(f);
    struct strv words = strv_split(text, " ");
    f->v = words.n ? xcalloc(words.n, sizeof *f->v) : NULL;
    for (size_t i = 0; i < words.n; i++)
        parse_word(&f->v[f->n++], words.v[i], column_of, ctx);
    strv_fini(&words);
}

static bool match_column(const struct term_word *w, const struct filter_row *r, size_t column)
{
    if (w->op == ':')
        return strcasestr(r->text(r->ctx, r->row, column), w->text) != NULL;
    double num;
    if (!r->number(r->ctx, r->row, column, &num))
        return false;
    return w->op == '<' ? num < w->num : w->op == '>' ? num > w->num : num >= w->num && num <= w->num;
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

bool filter_match(const struct filter *f, const struct filter_row *r)
{
    for (size_t i = 0; i < f->n; i++)
        if (match_word(&f->v[i], r) == f->v[i].negate)
            return false;
    return true;
}
