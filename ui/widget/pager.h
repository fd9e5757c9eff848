/* pager.h - reads a file of any size with bounded memory: a window of bytes around what is seen, lines
 * found in it.
 *
 * Positions are byte offsets of line starts, never line numbers, so a 1 GB file opens at its end as fast as
 * a small one. A line longer than PAGER_LINE_MAX is shown in pieces; one that carriage returns write over
 * and over, as progress bars do, is one row up to PAGER_BAR_MAX. The pager owns the window and the
 * search, never what it reads. It draws nothing: it makes pages.
 */
#ifndef UI_WIDGET_PAGER_H
#define UI_WIDGET_PAGER_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "ui/keys/action.h"
#include "ui/widget/page.h"

#define PAGER_LINE_MAX (64 * 1024)
#define PAGER_BAR_MAX  (1024 * 1024)
#define PAGER_WINDOW   (256 * 1024)
#define PAGER_SLICE    (1024 * 1024) /* of a search, between two looks at the keyboard */

/* What is read. */
struct pager_file {
    size_t (*read)(void *ctx, int64_t at, char *buf, size_t n); /* returns how many bytes there are */
    int64_t (*size)(void *ctx);
    void *ctx;
};

struct pager {
    struct pager_file file; /* read NULL: nothing */
    int64_t size;
    int64_t top; /* offset of the first line seen */
    int top_row; /* its first row seen, where it is wrapped */
    int left;    /* cells scrolled sideways, where it is not */
    bool wrap, follow;
    int height, width;

    char *window;
    int64_t window_at;
    size_t window_n;

    const char *const *needles; /* what is looked for; NULL: nothing */
    char *pattern;              /* of the user's search */
    bool fold_case;
    bool searching, forward;
    int64_t search_at;   /* next byte to look at, or the end of the bytes still to be looked at */
    int64_t search_from; /* where the search began: it ends there after it has gone round */
    bool wrapped;        /* it has gone round the end */
    int64_t match;       /* line of the match; -1: none */
    bool not_found;
};

void pager_init(struct pager *p);
void pager_fini(struct pager *p);
/* Another file, shown from its end; file NULL: nothing. */
void pager_set_file(struct pager *p, const struct pager_file *file);
/* The same file is to be had in another way: nothing moves. */
void pager_change_file(struct pager *p, const struct pager_file *file);
/* Looks at the size again. Returns true where there is something new to see. A file that has become shorter
 * is begun again. */
bool pager_grown(struct pager *p);
/* From that byte on, the beginning of a line, the file is another, longer or shorter. */
void pager_rewritten(struct pager *p, int64_t from);

void pager_to_end(struct pager *p);
/* Moves, WRAP, LEFT, RIGHT, FOLLOW. Going up ends following. */
unsigned pager_act(struct pager *p, enum action a);
void pager_scroll(struct pager *p, long rows);
/* Shows the line that begins at that byte at the top, or the end where that is nearer. Ends following. */
void pager_go(struct pager *p, int64_t line);
/* n rows and cells there are: stays at the end where it was there. */
void pager_resize(struct pager *p, int height, int width);
/* Adds to out what is to be seen now. */
void pager_page(struct pager *p, struct page *out);
/* Is the end in sight? */
bool pager_at_end(struct pager *p);

/* Begins a search for text (lower case: upper case matches too), or for lines that look like errors where
 * it is NULL; from the match before, else from what is seen. pager_work goes on with it. */
void pager_find(struct pager *p, const char *text, bool forward);
/* Is it the user's text that is looked for (else lines that look like errors, or nothing)? */
bool pager_has_pattern(const struct pager *p);
/* The same search again. */
void pager_find_again(struct pager *p, bool forward);
void pager_stop(struct pager *p);
/* One slice of a search. Returns true where there is more to do. */
bool pager_work(struct pager *p);

/* For pager_find.c: up to n bytes at that offset; returns how many there are. */
size_t pager_read(const struct pager *p, int64_t at, char *buf, size_t n);
/* The start of the line that holds the byte at that offset. */
int64_t pager_line_start(struct pager *p, int64_t at);
int64_t pager_next_line(struct pager *p, int64_t at);

#endif
