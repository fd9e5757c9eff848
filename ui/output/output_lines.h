/* output_lines.h - the lines of an output that contain a text: their places, for "3 of 24", or a copy of
 * them, for the filter.
 *
 * Both read forward in slices of PAGER_SLICE bytes and go on where they stopped when the output grows. They
 * run in the thread of the reader (ui/output/output_reader.h) and read what a pager reads.
 */
#ifndef UI_OUTPUT_OUTPUT_LINES_H
#define UI_OUTPUT_OUTPUT_LINES_H

#include "src/base/str.h"
#include "src/base/vec.h"
#include "ui/output/kept_lines.h"
#include "ui/widget/pager.h"

#define LINE_HITS_MAX   100000
#define LINE_FILTER_MAX (256 * 1024 * 1024) /* bytes of the copy */

struct line_scan {
    char *text; /* NULL: the scan is off */
    bool fold_case;
    bool without; /* lines that do not contain the text */
    int64_t at;   /* start of the first line that has not been read as a whole */
    int64_t seen; /* size of the output at the last slice */
};

struct line_hits {
    struct line_scan scan;
    VEC(int64_t) starts; /* of the lines, at most LINE_HITS_MAX */
    bool last;           /* the unfinished line at the end is a hit as well */
};

/* Begins to look for the lines with that text (lower case: upper case matches too); NULL: ends it. */
void line_hits_begin(struct line_hits *h, const char *text);
/* From that byte on, the beginning of a line, the output is another. */
void line_hits_cut(struct line_hits *h, int64_t from);
bool line_hits_has_work(const struct line_hits *h, int64_t size);
void line_hits_work(struct line_hits *h, const struct pager_file *f, int64_t size);
/* How many there are, and the number of the line at that byte among them; 0: it is none of them. */
size_t line_hits_count(const struct line_hits *h);
size_t line_hits_number(const struct line_hits *h, int64_t line);

struct line_filter {
    struct line_scan scan;
    struct kept_lines kept; /* the copy */
    struct str lines;       /* of this slice: whole ones, ... */
    struct str unfinished;  /* ... and the one at the end of the output */
    bool full;              /* the copy is as long as it may become */
};

/* The filter is off before the first begin. */
void line_filter_init(struct line_filter *f);
/* A text that begins with "!" asks for the lines without the rest of it. NULL or empty: ends the filter. */
void line_filter_begin(struct line_filter *f, const char *text);
/* The source is another, or shorter: reads it again. */
void line_filter_restart(struct line_filter *f);
bool line_filter_has_work(const struct line_filter *f, int64_t size);
/* Returns the byte of the copy from which on it has changed; -1: nowhere. */
int64_t line_filter_work(struct line_filter *f, const struct pager_file *source, int64_t size);

/* Where a line with a number begins. */
struct line_seek {
    bool on;
    int64_t want; /* from 1 */
    int64_t at;   /* next byte to be read */
    int64_t line; /* number of the last line that was seen to begin, and where it does */
    int64_t start;
};

void line_seek_begin(struct line_seek *s, int64_t want);
/* One slice. Returns true once `start` is that of the line, or of the last one if there are fewer. */
bool line_seek_work(struct line_seek *s, const struct pager_file *f, int64_t size);

#endif
