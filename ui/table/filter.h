/* filter.h - the words of a filter line: "train state:wait|held user:ann gpus:>1 !n03 /^eval-[0-9]+/".
 *
 *     train             a text in any column of words
 *     COLUMN:TEXT       a text in that column; COLUMN:=TEXT: that text and no more
 *     COLUMN:>N         a comparison, also >=, <, <= and =; N may have a unit where the column has one (2h,
 * 16G) /RE/ COLUMN:/RE/  an extended regular expression (POSIX); the last slash may be missing "a b"
 * COLUMN:"a b"  a text with blanks !WORD             rows for which WORD is not true a|b   a | b either;
 * behind a column it is that column for both: state:wait|held
 *
 * All words must be true. A word whose COLUMN is not known is plain text. Upper and lower case are the
 * same.
 */
#ifndef UI_TABLE_FILTER_H
#define UI_TABLE_FILTER_H

#include <regex.h>
#include <stdbool.h>
#include <stddef.h>

/* What a column's number counts. */
enum filter_unit { FILTER_PLAIN, FILTER_SECONDS, FILTER_MIB };

struct term_word {
    char *text;
    char *low;  /* text in lower case, which is what is looked for */
    int column; /* -1: any */
    char op;    /* ':' contains, '~' is, '<', '>', '=', 'l' at most, 'g' at least, '/' matches re, 'e': its
                   expression is wrong, and all rows pass */
    double num;
    bool negate;
    bool either;   /* it or the word before */
    bool quoted;   /* meant as it stands */
    regex_t *re;   /* of '/' */
    char *error;   /* of 'e': what is wrong with it */
    size_t at, to; /* where it stands in the line, in bytes */
};

struct filter {
    struct term_word *v;
    size_t n;
    bool fuzzy; /* plain words match as fuzzy.h has it, too */
};

/* What the filter asks about a row: does the column's text contain word, or what number has it. */
struct filter_row {
    const void *ctx, *row;
    size_t n_columns;
    bool (*is_words)(const void *ctx, size_t column);
    const char *(*text)(const void *ctx, const void *row, size_t column);
    bool (*number)(const void *ctx, const void *row, size_t column, double *ret);
};

/* filter_parse.c. column_of: the number of a column by its name, or -1, and what its number counts. */
typedef int filter_column_fn(const void *ctx, const char *name, enum filter_unit *unit);
void filter_parse(struct filter *f, const char *text, filter_column_fn *column_of, const void *ctx);
void filter_fini(struct filter *f);

/* Does now ask for more than before did, so that what before left out is left out again? */
bool filter_narrows(const struct filter *before, const struct filter *now);
/* True for a comparison without a number ("time:>2x"), which is then matched as text. */
bool filter_wants_number(const struct term_word *w);
/* The first word with a wrong expression, or NULL. */
const struct term_word *filter_wrong(const struct filter *f);
/* Has it an expression, which costs much more than a text? */
bool filter_is_costly(const struct filter *f);
/* Has it plain words, for which similar texts may stand in? */
bool filter_can_be_fuzzy(const struct filter *f);
bool filter_match(const struct filter *f, const struct filter_row *r);
/* How well a row that matches fits the plain words: more is better. */
int filter_score(const struct filter *f, const struct filter_row *r);

#endif
