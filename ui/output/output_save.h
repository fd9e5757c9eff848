/* output_save.h - writes an output into a new file, in slices. It runs in the thread of the reader. */
#ifndef UI_OUTPUT_OUTPUT_SAVE_H
#define UI_OUTPUT_OUTPUT_SAVE_H

#include "src/base/err.h"
#include "ui/widget/pager.h"

struct output_save {
    char *path; /* NULL: nothing is being written */
    int fd;
    int64_t at;
};

enum output_saved { SAVED_PART, SAVED_ALL, SAVED_NOT };

void output_save_init(struct output_save *s);
/* Creates the file; an existing file is never overwritten. Returns 0 or a negative errno. */
int output_save_begin(struct output_save *s, const char *path, struct errtext *err)
    __attribute__((warn_unused_result));
/* Writes a slice. An output that grows meanwhile is written up to its size. */
enum output_saved output_save_work(struct output_save *s, const struct pager_file *f, int64_t size,
                                   struct errtext *err);
/* Closes the file and keeps what is in it. */
void output_save_stop(struct output_save *s);

#endif
