/* output_merge.h - many outputs as one: their lines one after the other, each behind the label of where it
 * comes from, in a nameless file that a pager reads.
 *
 * What is there at first is put in the order of the times that its lines begin with, where they do; else
 * one output stands after the other. From then on lines stand as they come. Behind them stand the lines
 * that have no end yet, one for each output: a progress bar is seen moving there, until its line ends and
 * takes its place among the others. Of a long output only the end is taken.
 */
#ifndef UI_OUTPUT_OUTPUT_MERGE_H
#define UI_OUTPUT_OUTPUT_MERGE_H

#include "ui/output/kept_lines.h"
#include "ui/output/output_stream.h"

struct merge_part {
    struct stream *stream;
    int64_t at; /* of it, next to be read */
    bool begun;
    int64_t time;    /* of its last line that had one */
    struct str half; /* of the line that it is in the middle of, what a terminal would show */
};

struct output_merge {
    struct kept_lines kept; /* lines of all of them, and their unfinished lines, new each time */
    VEC(struct merge_part) parts;
    int label; /* cells */
    bool live; /* something has been shown before */
};

void merge_init(struct output_merge *m);
void merge_fini(struct output_merge *m);
void merge_add(struct output_merge *m, struct stream *s);
/* Takes some of what has come. ended: nothing more will, so half lines are lines too. Returns true where
 * there is more to be taken; *ret_changed: there is something else to be seen, from the size that the lines
 * had before on. */
bool merge_work(struct output_merge *m, bool ended, bool *ret_changed);

#endif
