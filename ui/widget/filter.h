/* filter.h - the words of a filter line: "train state:wait user:ann gpus:>1 !n03".
 *
 * All words must match. A plain word is looked for in every column of words; COLUMN:TEXT in that one;
 * COLUMN:>N, >=N, <N, <=N, =N compare numbers, which may have units (2h, 16G) where the column has them;
 * COLUMN:=TEXT is that text and no more; ! in front turns it round. A word whose COLUMN is not known is
 * plain text. Upper and lower case are the same.
 */
#ifndef UI_WIDGET_FILTER_H
#define UI_WIDGET_FILTER_H

#include <stdbool.h>
#include <stddef.h>

/* What a column's number counts. */
enum filter_unit { FILTER_PLAIN, FILTER_SECONDS, FILTER_MIB };

struct term_word {
    char *text;
    char *low;  /* text in lower case, which is what is looked for */
    int column; /* -1: any */
    char op;    /* ':' contains, '~' is, '<', '>', '=', 'l' at most, 'g' at least */
    double num;
    bool negate;
};

struct filter {
    struct term_word *v;
    size_t n;
};

/* What the filter asks about a row: does the column's text contain word, or what number has it. */
struct filter_row {
    const void *ctx, *row;
    size_t n_columns;
    bool (*is_words)(const void *ctx, size_t column);
    const char *(*text)(const void *ctx, const void *row, size_t column);
    bool (*number)(const void *ctx, const void *row, size_t column, double *ret);
};

/* column_of: the number of a column by its name, or -1, and what its number counts. */
typedef int filter_column_fn(const void *ctx, const char *name, enum filter_unit *unit);
void filter_parse(struct filter *f, const char *text, filter_column_fn *column_of, const void *ctx);
void filter_fini(struct filter *f);
/* Does now ask for more than before did, so that what before left out is left out again? */
bool filter_narrows(const struct filter *before, const struct filter *now);
/* True for a comparison without a number ("time:>2x"), which is then matched as text. */
bool filter_wants_number(const struct term_word *w);
bool filter_match(const struct filter *f, const struct filter_row *r);

#endif
