/* table.h - a list with columns, and a tree where rows have children: draws, sorts, filters, marks and
 * exports any rows.
 *
 * The table knows no data. A column has one function that takes its value out of a row, and drawing,
 * sorting, searching and exporting all use that one. The owner's fill function hands in the rows in their
 * natural order, children behind their parent.
 */
#ifndef UI_TABLE_TABLE_H
#define UI_TABLE_TABLE_H

#include "ui/keys/input.h"
#include "ui/table/filter.h"
#include "ui/widget/did.h"
#include "ui/widget/edit.h"
#include "ui/widget/list.h"
#include "ui/widget/rich.h"

/* In place of cells: what is drawn, in as many as it takes. For files, also what programs look for. */
#define ROOM_AS_SEEN (-1)
#define ROOM_OF_FILE (-2)

struct table_field {
    int room; /* in: cells there are, where it is drawn; 0: as many as it takes, or ROOM_... */
    struct rich text;
    bool has_num; /* sort and compare by num */
    double num;
    double minor; /* of those whose num is the same the smaller one stands first; from 0, below 1 */
    bool ticks;   /* changes with the time alone: draw again in a second */
    bool shorter; /* than it would be with more room */
};

/* The text is for the eye: not sorted or filtered by, not for a program. */
static inline bool field_is_seen(const struct table_field *f)
{
    return f->room > 0 || f->room == ROOM_AS_SEEN;
}

#define COLUMN_HIDDEN 1u   /* searched, sorted and exported, drawn only where the user chose it */
#define COLUMN_RIGHT  2u   /* aligned to the right */
#define COLUMN_WORDS  4u   /* a plain word of a filter is looked for here */
#define COLUMN_TREE   8u   /* carries the fold signs */
#define COLUMN_ENDS   16u  /* what is too long keeps its beginning and its end */
#define COLUMN_CUT    32u  /* cut to its least before a column that says who or when is left out */
#define COLUMN_IF_ANY 64u  /* left out until a row on the screen has something in it */
#define COLUMN_STEADY 128u /* the time changes its values alike: the rows keep their order */
#define COLUMN_FULL   256u /* ends with a number at its right edge, though it begins at its left one */

struct table_column {
    const char *name;  /* in what is remembered, and in filters */
    const char *alias; /* another word for it there, which no beginning of a name hides; NULL: none */
    const char *title; /* over the column; as a word also in filters, see table_column_word */
    int min, want;     /* cells; want 0: all that is left */
    int fit;   /* as wide as its rows are, up to fit before columns of detail are weighed against it, up
                  to want where there is room; of one that takes what is left: its share; 0: its rows do
                  not count */
    int share; /* of a column that takes what is left: percent of the width that are its own first; 0: 33 */
    int rank;  /* the highest are left out first where it is narrow; 0: never */
    unsigned flags;        /* COLUMN_* */
    enum filter_unit unit; /* of num, for filters: "time:>2h", "memory:>16G" */
    void (*get)(const void *ctx, const void *row, struct table_field *f);
};

struct trow {
    uint64_t id; /* never 0 */
    const void *data;
    uint8_t depth;
    bool branch;  /* has children */
    bool watched; /* gets a sign beside its mark */
    bool missed;  /* the table's own: the filter, as it is, does not match it by itself */
    bool known;   /* the table's own: and that holds as long as the row is what it is */
};

struct trows {
    struct trow *v;
    size_t n, cap;
};

#define TABLE_NO_ROW UINT32_MAX
struct trow_numbers { /* some of the rows, in an order of their own */
    uint32_t *v;
    size_t n, cap;
};

struct table {
    const struct table_column *cols;
    size_t n_cols;
    const char *elsewhere;                    /* said where the filter finds nothing; NULL: nothing */
    void *ctx;                                /* of get and fill */
    void (*fill)(void *ctx, struct table *t); /* calls table_add for every row */
    void (*fetch)(const void *row);           /* that row is looked at in a moment; NULL: rows are few */
    /* Rows of a number stand together, the smallest first, as long as they have their natural order: a line
     * with a title begins each such group. NULL: no groups. */
    int (*group)(const void *row);
    void (*group_title)(const void *ctx, int group, size_t n, struct rich *out);
    uint64_t (*parent)(const void *row); /* the branch that has or would have it; 0: none; NULL: no row
                                            stands without its branch */

    struct list_state list;
    struct trows rows;         /* all that fill gave */
    struct trow_numbers shown; /* those that pass the filter, sorted */
    size_t n_top;              /* of those: how many have no parent */
    struct trow_numbers
        next;         /* what will be shown, while a filter that is typed is tried on many rows ... */
    struct trows old; /* ... and the rows that are shown until then, where fill has given others */
    bool matching;
    size_t match_at;     /* ... of which these have been looked at */
    struct trows before; /* room for the rows of the last time; see table_update */
    bool ticked;         /* a field that has been taken out since this was cleared changes with the time */
    bool order_ticks;    /* of those that the order goes by one does */
    struct idmap open;   /* branches folded open */
    bool flat;           /* fill leaves branches out and gives what they have as rows of their own */
    int sort;            /* column; -1: the natural order */
    bool reverse;
    bool *on;         /* columns that are drawn */
    int *needs;       /* of columns with a fit: cells that rows have taken so far */
    int *drawn;       /* of each column, its cells in the last picture; 0: it was left out */
    struct rect head; /* the headings there; empty: none were drawn */
    struct filter filter;
    struct edit edit;         /* the filter's text */
    bool typing;              /* the filter line takes the keys */
    bool typed_filter;        /* the filter was changed by hand: the cursor goes to what matches */
    bool found_exact;         /* while similar texts stand in: a row has the words themselves */
    struct table_field field; /* scratch */
    struct trow_numbers
        lines;        /* below the titles: the row that each line was drawn with; TABLE_NO_ROW: none */
    uint64_t pressed; /* id of the row that a double click must hit again */
};

void table_init(struct table *t, const struct table_column *cols, size_t n_cols,
                void (*fill)(void *ctx, struct table *t), void *ctx);
void table_fini(struct table *t);

/* Calls fill, filters, sorts and finds the cursor's row again. */
void table_refill(struct table *t);
/* The same where few rows may say something else than the last time, which changed is asked of each: what
 * is known of the others stays. */
typedef bool table_changed_fn(const void *ctx, const struct trow *row);
void table_update(struct table *t, table_changed_fn *changed);
/* For fill alone. */
void table_add(struct table *t, struct trow row);
/* Should fill give the children of that branch? */
bool table_wants_children(const struct table *t, uint64_t id);
bool table_is_open(const struct table *t, uint64_t id);
void table_fold(struct table *t, uint64_t id, bool open); /* takes effect at the next refill */

/* table_flat.c: lets branches come or go; no-op where rows have no parent. The cursor stays on its row, or
 * goes to the branch that has it, or to its first row. What is marked stays so: all rows of a branch are
 * the branch, and one that has some of its rows marked is opened. */
void table_set_flat(struct table *t, bool flat);

static inline struct trow *table_shown(const struct table *t, size_t i) /* the i-th of what is shown */
{
    return &(t->old.v ? &t->old : &t->rows)->v[t->shown.v[i]];
}

/* The row under the cursor, or NULL. */
const struct trow *table_current(const struct table *t);
/* What that row is called, the text of its column with the fold signs, printable; NULL: there is no row.
 * The caller frees it. */
char *table_current_name(struct table *t);
void table_select(struct table *t, uint64_t id);
/* Calls each for the marked rows, shown or not, or for the one under the cursor where none is marked. */
void table_targets(struct table *t, void (*each)(void *arg, const struct trow *row), void *arg);

/* The rows shown that an open range takes in, first <= last; false where none is open. */
bool table_range(const struct table *t, size_t *first, size_t *last);

/* Moves, marks, folds, opens the filter line. */
unsigned table_act(struct table *t, enum action a, const struct input *in);
/* Keys while the filter line is open, clicks and the wheel. area: where the table was drawn. */
unsigned table_input(struct table *t, const struct input *in, struct rect area);
/* A filter that is typed is tried on many rows in slices, so that the next letter need not wait; what is
 * shown stays until all have been looked at. One slice; returns true where there is more to do. *ret_done:
 * something else is shown now. Every key but a letter of the filter looks at the rest at once. */
bool table_work(struct table *t, bool *ret_done);
void table_sort(struct table *t, int column, bool reverse);
void table_set_filter(struct table *t, const char *text);
/* As if the text had been typed into the filter line, with the cursor at that byte: the rest is
 * table_work's. */
void table_type_filter(struct table *t, const char *text, size_t at);
/* Marks the shown rows that pass a filter of that text. Returns their number. */
size_t table_mark_matching(struct table *t, const char *text);
bool table_is_filtered(const struct table *t);
/* Has a row that fill has not given the words of the filter? Similar texts do not count. */
bool table_row_passes(struct table *t, const void *data);

/* The column of that heading, name or alias, or of a beginning of one with two letters at least; -1:
 * none. */
int table_find_column(const struct table *t, const char *name);
/* Its heading as a word of filters and menus: "WHERE OR WHY" is "where-or-why", "GPU%" is "gpu%" (another
 * column than GPU), a sign is its name. */
#define COLUMN_WORD_SIZE 24
const char *table_column_word(const struct table_column *col, char buf[static COLUMN_WORD_SIZE]);
/* Columns shown and hidden by the user. */
void table_show_column(struct table *t, size_t column, bool on);
bool table_shows_column(const struct table *t, size_t column);
/* Are columns shown that are not so by themselves, or the other way round? */
bool table_has_own_columns(const struct table *t);

/* Cells that the table takes if no column is left out and the rows that are drawn in height lines are not
 * cut. */
int table_wish(struct table *t, int height);
/* Returns true where something drawn changes with the time alone. */
bool table_draw(struct table *t, struct canvas *c, struct rect r, bool focused);
/* Blank cells before column i if column left is the one drawn before it; -1: none is. Pure. */
int table_gap(const struct table_column *cols, int left, size_t i);
/* Chooses columns and widths for n cells; 0: not drawn. on: which may be drawn at all; NULL: those
 * that are not hidden by themselves. needs: cells that the rows take, for those with a fit. Pure. */
void table_fit(const struct table_column *cols, const bool *on, const int *needs, size_t n, int width,
               int *widths);
/* table_export.c; bars are left out of all of these.
 * Tab-separated, a line of titles first, everything printable: as many whole rows of what is shown as go
 * into n bytes. Returns how many. */
size_t table_export(struct table *t, size_t max, struct str *out);
/* The row under the cursor in the same way, the columns that are shown; nothing where there is none. */
void table_append_row(struct table *t, struct str *out);
/* For files. TEXT: columns of blanks; CSV: as RFC 4180 says, a line of column words first; JSON: an array
 * of objects by column words, counts as numbers. */
enum table_format { TABLE_TEXT, TABLE_CSV, TABLE_JSON };
/* By the end of the path: .txt or none, .csv, .json; false: it has another one. */
bool table_format_of(const char *path, enum table_format *ret);
/* Appends all rows that are shown, with the columns that are shown or all. */
void table_write(struct table *t, enum table_format format, bool all_columns, struct str *out);

/* A number of things; nothing is shown for 0. */
void field_count(struct table_field *f, uint64_t n, enum role role);
void field_init(struct table_field *f);
void field_fini(struct table_field *f);

#endif
