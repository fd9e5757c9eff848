/* stream.h - the bytes of one output: a file where they are written, or a spool on its node that is fetched
 * through the controller into a nameless file. Either way a descriptor that a pager reads. */
#ifndef UI_VIEW_STREAM_H
#define UI_VIEW_STREAM_H

#include "ui/view/output.h"

struct stream {
    int fd;        /* -1: nothing to read */
    char *path;    /* NULL: a spool */
    char *trouble; /* why there is nothing to read; NULL: all is well */
    int notify;    /* inotify */
    bool spool, asking, ended;
    uint64_t have; /* bytes of the spool so far */
};

void stream_init(struct stream *s);
void stream_fini(struct stream *s);
/* The path of standard output (or error) of at, NULL for a spool. Caller frees. False where there is no
 * such task. */
bool stream_path(const struct job *j, const struct output_at *at, bool err, char **ret);
/* Another output. A spool is empty until stream_ask. */
void stream_open(struct stream *s, const struct job *j, const struct output_at *at, bool err);
/* The file may have come into being, or been put in another's place: looks again. Returns true where the
 * descriptor is another. */
bool stream_look(struct stream *s);
/* Spool: an answer has come. Returns true where more is to be asked for. */
bool stream_take(struct stream *s, const struct incoming *in);
/* Asks for the next piece of a spool. */
void stream_ask(struct stream *s, struct ui *ui, struct view *owner, const struct output_at *at, bool err,
                ui_reply_fn *reply);

#endif
