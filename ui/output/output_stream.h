/* output_stream.h - the bytes of one output: its file if it is here, else pieces from its node, kept in an
 * unnamed sparse file. It may block, so it runs in a thread of its own. */
#ifndef UI_OUTPUT_OUTPUT_STREAM_H
#define UI_OUTPUT_OUTPUT_STREAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "src/base/vec.h"
#include "src/client/client.h"

#define STREAM_PIECE (64 * 1024)

struct stream;

/* What a stream asks its node for. */
struct stream_ask {
    uint32_t stream; /* its number */
    bool piece;      /* of the middle; else what comes at the end, when it comes */
    uint64_t offset;
    uint32_t max, wait_ms;
};

struct stream_hooks {
    /* Sends the question off; the answer comes by stream_take. */
    void (*ask)(void *ctx, const struct stream_ask *a);
    /* Waits until s has been given data; false: the wait was given up. NULL: the stream never waits. */
    bool (*await)(void *ctx, struct stream *s);
    void *ctx;
    bool far; /* files are another machine's: the node is always asked */
};

struct stream {
    uint32_t number;
    char *path;     /* NULL: kept on its node */
    uint32_t owner; /* who has named it (owner_file.h) */
    char *label;    /* in a merged view */
    char *trouble;  /* why there is nothing to read; NULL: no error */
    const struct stream_hooks *hooks;
    int fd;      /* the file; -1 */
    int watch;   /* of inotify; -1 */
    bool remote; /* the node is asked */
    bool gone;   /* the file has been removed; what was open can still be read */

    /* Of the node's answers. */
    int copy;                           /* nameless; -1 */
    int64_t size;                       /* as far as is known */
    bool begun;                         /* an answer has told the size */
    bool old_agent;                     /* it tells no sizes: from the beginning on, in order */
    bool growing;                       /* the end was asked for */
    uint64_t growth_asked, piece_asked; /* from where on */
    bool ended;                         /* there will be no more */
    bool refused;                       /* the node does not have it either */
    VEC(uint32_t) have;                 /* of each piece, the bytes that are here, from its beginning on */
};

/* Takes path and label. */
void stream_init(struct stream *s, uint32_t number, char *take_path, uint32_t owner, char *take_label,
                 const struct stream_hooks *hooks);
void stream_fini(struct stream *s);

/* Looks at the file again: it may have come into being, or been put in another's place; asks the node where
 * there is none here. may_ask: the job has begun, a node may have it. Returns true where what there is to
 * read is another file than before. */
bool stream_look(struct stream *s, int inotify, bool may_ask);
/* A node without data is asked again at the next look. */
void stream_retry(struct stream *s);

bool stream_is_there(const struct stream *s);
int64_t stream_size(void *stream);
/* Waits for the node if the bytes are not here yet. Returns the number of bytes. */
size_t stream_read(void *stream, int64_t at, char *buf, size_t n);

/* Fetches the first piece of these bytes that is not here. Returns true if there is none, or it does not
 * come. */
bool stream_fetch_next(struct stream *s, int64_t at, size_t n);

/* An answer of the node; d NULL: the connection was lost, or it was refused for the reason why. Returns
 * true where it brought something to be seen. */
bool stream_take(struct stream *s, bool piece, struct msg_output_data *d, const char *why);

/* An unnamed temporary file. -1: no space. */
int stream_nameless(void);

#endif
