/* outfilter.h - output of jobs on its way to a terminal: text and colours pass, everything else that a
 * terminal would obey is shown.
 *
 * Works on a stream: characters and sequences may be cut anywhere between two pieces.
 */
#ifndef STOKER_CLI_OUTFILTER_H
#define STOKER_CLI_OUTFILTER_H

#include "src/base/str.h"

struct outfilter {
    bool raw;       /* not a terminal: bytes pass as they are */
    char carry[64]; /* the beginning of something that is not complete yet */
    size_t n_carry;
    bool colored; /* a colour was switched on and not off */
    bool had_cr;  /* a carriage return that was not followed by anything yet */
};

/* Newlines, tabs, printable UTF-8 and SGR sequences (colours) pass; a carriage return alone begins a new
 * line, so that progress bars stay readable; other bytes are shown as \xHH. */
void outfilter_append(struct outfilter *f, struct str *out, const char *data, size_t n);
/* What is still held back, and colours off. */
void outfilter_finish(struct outfilter *f, struct str *out);

#endif
