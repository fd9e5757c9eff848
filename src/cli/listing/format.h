/* format.h - listings made of columns: Slurm's two format languages, their widths, headers and sorting.
 *
 * A command has a table of columns, one extraction each; this module turns "%.18i %.9P" or "jobid:10,state"
 * into a list of cells and prints rows with it into one buffer, without an allocation per cell. Widths are
 * terminal cells, which for ASCII are bytes.
 */
#ifndef STOKER_CLI_FORMAT_H
#define STOKER_CLI_FORMAT_H

#include <stdbool.h>

#include "src/base/err.h"
#include "src/base/str.h"
#include "src/base/vec.h"

struct column {
    char letter;       /* in -o; 0: none */
    const char *names; /* in -O, lower case, separated by blanks; NULL: none */
    const char *title; /* header */
    const char *key;   /* member name in stoker's own JSON; NULL: not part of it */
    void (*get)(struct str *out, const void *row, const void *cx);
    int64_t (*number)(const void *row, const void *cx); /* NULL: text. Sorting and JSON take it */
    const struct job_members *reads; /* of columns of jobs: what both look at; see columns.h */
    bool uncut;                      /* a duration: Slurm prints it whole however narrow its column is */
};

struct columns {
    const struct column *v;
    size_t n;
};
#define COLUMNS(table)                                      \
    {                                                       \
        .v = (table), .n = sizeof(table) / sizeof(table)[0] \
    }

const struct column *column_by_letter(const struct columns *cs, char letter);
/* Any case; n: length of name. */
const struct column *column_by_name(const struct columns *cs, const char *name, size_t n);

#define WIDTH_NATURAL 0
#define WIDTH_AUTO    (-1) /* sinfo's %#P: as wide as the widest of the listing */

struct format_item {
    const struct column *col; /* NULL: literal text alone */
    int width;
    bool right;
    char *tail; /* copied behind the cell; NULL: nothing */
};

struct format {
    VEC(struct format_item) items;
};

void format_fini(struct format *f);
/* "%[[.]width]letter" with everything else copied; "%all": every column, with '|' between. unknown gets the
 * letters that name no column, in order ("" for a width without one); they are printed as they stand. */
void format_parse_letters(struct format *f, const struct columns *cs, const char *spec,
                          struct strv *unknown);
/* "name[:[.][width][suffix]],...": 20 columns where nothing is said. unknown: the
 * names that are none; these are left out. Source: squeue(1), -O. */
void format_parse_names(struct format *f, const struct columns *cs, const char *spec, struct strv *unknown);

/* Appends one line, without its newline. */
void format_header(struct str *out, const struct format *f);
void format_row(struct str *out, const struct format *f, const void *row, const void *cx);

/* The line of one row with gaps where others differ: for rows that have most of their cells in common. */
struct stencil_gap {
    const struct format_item *item;
    size_t at; /* in text */
};
struct stencil {
    struct str text; /* without the gaps */
    VEC(struct stencil_gap) gaps;
};
/* varies: which columns are the gaps. f must live as long as s. */
void stencil_make(struct stencil *s, const struct format *f, const void *row, const void *cx,
                  bool (*varies)(const struct column *col));
void stencil_fini(struct stencil *s);
void stencil_row(struct str *out, const struct stencil *s, const void *row, const void *cx);

/* Pads or cuts what stands in out from `at` on to width cells. width must not be negative; 0: as it is. */
void format_fit(struct str *out, size_t at, int width, bool right);
/* Gives WIDTH_AUTO items the width of the widest of their title and the texts of rows (n pointers). */
void format_fix_widths(struct format *f, const void *const *rows, size_t n, const void *cx);

/* Appends text of a user or another machine with what is not printable escaped; NULL gives what `null`
 * says. */
void text_append_foreign(struct str *out, const char *s, const char *null);

/* --- sorting: "P,t,-p": letters or names with '+' or '-' in front --- */

struct sort_item {
    const struct column *col;
    bool down;
};

struct sorting {
    VEC(struct sort_item) items;
};

void sorting_fini(struct sorting *s);
/* Slurm's letters may stand without commas. Errors: -EINVAL, names the first key that is none. */
int sorting_parse(struct sorting *s, const struct columns *cs, const char *spec, struct errtext *err)
    __attribute__((warn_unused_result));
/* Stable. Cost: one extraction per row and key, then n log n comparisons of numbers. */
void sorting_apply(const struct sorting *s, const void **rows, size_t n, const void *cx);

/* Numbers as they are, texts as their first eight bytes and, for ties, where all of it lies. */
struct sort_key {
    uint64_t order;
    size_t text; /* offset into the texts; 0: it is a number */
};

/* The same for rows that are not kept: their keys alone. */
struct sort_keys {
    const struct sorting *s;
    VEC(struct sort_key) v; /* of one row after the other */
    struct str texts;
    size_t n; /* rows */
};

void sort_keys_init(struct sort_keys *k, const struct sorting *s);
void sort_keys_fini(struct sort_keys *k);
void sort_keys_add(struct sort_keys *k, const void *row, const void *cx);
/* A row that has the keys of the one before. */
void sort_keys_repeat(struct sort_keys *k);
/* Numbers of rows, the first to be shown first; NULL: they are in order already. Rows with equal keys go by
 * ties (n numbers; NULL: none), then as they came. Caller frees. */
size_t *sort_keys_order(const struct sort_keys *k, const uint32_t *ties)
    __attribute__((warn_unused_result));

#endif
