/* frame_whole.c - room for a frame whose header has come: for connections that get large ones. */
#include <string.h>

#include "src/base/xalloc.h"
#include "src/proto/frame.h"

static size_t frame_size_of(const uint8_t *p)
{
    return (size_t)p[0] | (size_t)p[1] << 8 | (size_t)p[2] << 16 | (size_t)p[3] << 24;
}

size_t frame_reader_expects(const struct frame_reader *r)
{
    if (r->n - r->at < FRAME_HEADER_SIZE)
        return 0;
    return FRAME_HEADER_SIZE + frame_size_of(r->buf + r->at);
}

void frame_reader_reserve(struct frame_reader *r, size_t n)
{
    if (r->at) {
        memmove(r->buf, r->buf + r->at, r->n - r->at);
        r->n -= r->at;
        r->at = 0;
    }
    if (r->cap >= n)
        return;
    r->buf = xrealloc(r->buf, n);
    r->cap = n;
}
