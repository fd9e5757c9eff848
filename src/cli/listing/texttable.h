/* texttable.h - tables for people: columns that find their width, cells of foreign text, colour where it is
 * welcome.
 *
 * Every cell goes through cell_text. A table that is wider than the terminal first cuts its flexible
 * columns, then leaves out columns in the order of their `drop`; what was never measured prints as "-".
 */
#ifndef STOKER_CLI_TEXTTABLE_H
#define STOKER_CLI_TEXTTABLE_H

#include <stdbool.h>

#include "src/base/str.h"
#include "src/base/vec.h"

enum tone { TONE_PLAIN, TONE_GOOD, TONE_WAIT, TONE_BAD, TONE_DIM, TONE_WARN };

struct table_col {
    const char *title; /* N_() where it is to be translated */
    bool right;
    int max;  /* cells; 0: any */
    int flex; /* cells that it may be cut to when space is short; 0: never cut */
    int drop; /* left out when space is short, the highest number first; 0: never */
};

struct table_cell {
    char *text;
    enum tone tone;
};

struct texttable {
    const struct table_col *cols;
    size_t n_cols;
    VEC(struct table_cell) cells; /* row by row */
};

#define TEXTTABLE_INIT(columns)                                                              \
    {                                                                                        \
        .cols = (columns), .n_cols = sizeof(columns) / sizeof(columns)[0], .cells = VEC_INIT \
    }

void texttable_fini(struct texttable *t);
/* Cells are added from left to right, rows follow one another. NULL text: "-". */
void texttable_add(struct texttable *t, enum tone tone, const char *text);
void texttable_addf(struct texttable *t, enum tone tone, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
size_t texttable_rows(const struct texttable *t);
/* width 0: as wide as it wants to be. */
void texttable_print(const struct texttable *t, struct str *out, unsigned width, bool color);

/* What a listing prints with: from the terminal, else $COLUMNS, else 0. */
unsigned listing_width(void);
/* "[###.....]": used of total in `cells` cells. Appends nothing for a total of 0. */
void bar_append(struct str *out, uint64_t used, uint64_t total, unsigned cells);
/* Escape sequence of a tone, "" without colour; and back. */
const char *tone_on(enum tone tone, bool color);
const char *tone_off(enum tone tone, bool color);

#endif
