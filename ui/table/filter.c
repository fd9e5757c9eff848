/* filter.c - does a row match the words of a filter line? */
#include "ui/table/filter.h"

#include <string.h>

#include "src/base/str.h"
#include "ui/table/fuzzy.h"

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

bool filter_wants_number(const struct term_word *w)
{
    return w->column >= 0 && w->op == ':' && !w->quoted && (w->text[0] == '<' || w->text[0] == '>');
}

const struct term_word *filter_wrong(const struct filter *f)
{
    for (size_t i = 0; i < f->n; i++)
        if (f->v[i].op == 'e')
            return &f->v[i];
    return NULL;
}

bool filter_is_costly(const struct filter *f)
{
    for (size_t i = 0; i < f->n; i++)
        if (f->v[i].op == '/')
            return true;
    return false;
}

static bool word_can_be_fuzzy(const struct term_word *w)
{
    return w->column < 0 && w->op == ':' && !w->negate && !w->quoted && strlen(w->low) >= FUZZY_LEAST;
}

bool filter_can_be_fuzzy(const struct filter *f)
{
    for (size_t i = 0; i < f->n; i++)
        if (word_can_be_fuzzy(&f->v[i]))
            return true;
    return false;
}

static bool match_text(const struct filter *f, const struct term_word *w, const char *text)
{
    return contains(text, w->low) || (f->fuzzy && word_can_be_fuzzy(w) && fuzzy_score(text, w->low));
}

static bool match_column(const struct filter *f, const struct term_word *w, const struct filter_row *r,
                         size_t column)
{
    double num;
    switch (w->op) {
    case ':': return match_text(f, w, r->text(r->ctx, r->row, column));
    case '~': return str_ieq(r->text(r->ctx, r->row, column), w->text);
    case '/': return regexec(w->re, r->text(r->ctx, r->row, column), 0, NULL, 0) == 0;
    default: break;
    }
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

static bool match_word(const struct filter *f, const struct term_word *w, const struct filter_row *r)
{
    if (w->op == 'e') /* it is being typed */
        return !w->negate;
    if (w->column >= 0)
        return match_column(f, w, r, (size_t)w->column);
    for (size_t i = 0; i < r->n_columns; i++)
        if (r->is_words(r->ctx, i) && match_column(f, w, r, i))
            return true;
    return false;
}

/* Behind the words of which one must be true. */
static size_t group_end(const struct filter *f, size_t i)
{
    for (i++; i < f->n && f->v[i].either; i++)
        ;
    return i;
}

static bool match_group(const struct filter *f, size_t i, size_t end, const struct filter_row *r)
{
    for (; i < end; i++)
        if (match_word(f, &f->v[i], r) != f->v[i].negate)
            return true;
    return false;
}

static bool group_is_quick(const struct filter *f, size_t i, size_t end)
{
    for (; i < end; i++)
        if (f->v[i].column < 0 || f->v[i].op == '/')
            return false;
    return true;
}

bool filter_match(const struct filter *f, const struct filter_row *r)
{
    for (int slow = 0; slow < 2; slow++) /* what is quickly known goes first */
        for (size_t i = 0, end; i < f->n; i = end) {
            end = group_end(f, i);
            if (group_is_quick(f, i, end) != slow && !match_group(f, i, end, r))
                return false;
        }
    return true;
}

int filter_score(const struct filter *f, const struct filter_row *r)
{
    int sum = 0;
    for (size_t i = 0; i < f->n; i++) {
        int best = 0;
        for (size_t k = 0; word_can_be_fuzzy(&f->v[i]) && k < r->n_columns; k++) {
            int score = r->is_words(r->ctx, k) ? fuzzy_score(r->text(r->ctx, r->row, k), f->v[i].low) : 0;
            best = score > best ? score : best;
        }
        sum += best;
    }
    return sum;
}

/* --- is it the same, and more? --- */

static bool word_narrows(const struct term_word *before, const struct term_word *now)
{
    if (before->negate != now->negate || before->column != now->column || before->op != now->op ||
        before->either || now->either)
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
    for (size_t i = before->n; narrows && i < now->n; i++)
        narrows = !now->v[i].either;
    return narrows;
}
