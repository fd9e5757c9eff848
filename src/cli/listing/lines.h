/* lines.h - a listing whose rows become text as they come: their lines and sort keys are kept, the rows are
 * not.
 *
 * So a queue of 100,000 jobs costs a line each, and is written while its rows still arrive.
 */
#ifndef STOKER_CLI_LINES_H
#define STOKER_CLI_LINES_H

#include "src/cli/listing/format.h"

struct listing_line {
    size_t at, n;  /* in text */
    bool is_stale; /* a newer one of its id has come */
};

struct listing_lines {
    struct str text; /* append a line here, then call listing_lines_end */
    VEC(struct listing_line) v;
    VEC(uint32_t) ids; /* of each line: they grow, but for those that come again */
    struct sort_keys keys;
    uint32_t id, last_id; /* of the rows that come now; the largest so far */
    bool any_again;
};

/* s must live as long as l. */
void listing_lines_init(struct listing_lines *l, const struct sorting *s);
void listing_lines_fini(struct listing_lines *l);

/* Rows of id come now. Were there some before, these are newer and take their place. */
void listing_lines_begin(struct listing_lines *l, uint32_t id);
/* What has been appended to the text since the last call is the line of row. */
void listing_lines_end(struct listing_lines *l, const void *row, const void *cx);
/* The same for a row that sorts as the one before. */
void listing_lines_end_alike(struct listing_lines *l);

/* Writes them to standard output in their order, with what `between` says between them. */
void listing_lines_print(struct listing_lines *l, const char *between);

#endif
