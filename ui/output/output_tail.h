/* output_tail.h - the last line of an output: what its program prints now, or printed last. Runs in the
 * thread of the reader (ui/output/output_reader.h).
 */
#ifndef UI_OUTPUT_OUTPUT_TAIL_H
#define UI_OUTPUT_OUTPUT_TAIL_H

#include "ui/output/output_stream.h"

struct output_tail {
    char *line;   /* printable; "": nothing but blanks; NULL: nothing is there (yet) */
    bool settled; /* it has been read, or cannot be: only more output changes it */
    int64_t size; /* of the output when it was read */
};

void output_tail_fini(struct output_tail *t);
/* Reads it again where the output has another size. The last line that is not blank counts, unfinished ones
 * (progress bars) as well; not what the supervisor of the task wrote behind it. Returns true if *t has
 * changed. */
bool output_tail_read(struct output_tail *t, struct stream *s);

#endif
