/* frame.c - bytes of a stream into frames. */
#include "src/proto/frame.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "src/base/err.h"
#include "src/base/xalloc.h"

#define KEEP_SIZE (256u << 10) /* an idle reader holds on to no more than this */

static void put_le(uint8_t *p, uint64_t v, unsigned n)
{
    for (unsigned i = 0; i < n; i++)
        p[i] = (uint8_t)(v >> 8 * i);
}

static uint64_t get_le(const uint8_t *p, unsigned n)
{
    uint64_t v = 0;
    for (unsigned i = 0; i < n; i++)
        v |= (uint64_t)p[i] << 8 * i;
    return v;
}

void frame_reader_fini(struct frame_reader *r)
{
    free(r->buf);
    *r = (struct frame_reader){.max = r->max};
}

uint8_t *frame_reader_space(struct frame_reader *r, size_t want)
{
    if (r->at == r->n) {
        r->at = r->n = 0;
        if (r->cap > KEEP_SIZE && want <= KEEP_SIZE)
            frame_reader_fini(r);
    }
    if (r->cap - r->n >= want)
        return r->buf + r->n;
    if (r->at) {
        memmove(r->buf, r->buf + r->at, r->n - r->at);
        r->n -= r->at;
        r->at = 0;
    }
    if (r->cap - r->n < want) {
        size_t cap = r->cap * 2 > r->n + want ? r->cap * 2 : r->n + want;
        r->buf = xrealloc(r->buf, cap);
        r->cap = cap;
    }
    return r->buf + r->n;
}

void frame_reader_added(struct frame_reader *r, size_t n)
{
    bug_on(n > r->cap - r->n);
    r->n += n;
}

int frame_reader_next(struct frame_reader *r, struct frame *ret)
{
    size_t have = r->n - r->at;
    if (have < FRAME_HEADER_SIZE)
        return 0;
    const uint8_t *p = r->buf + r->at;
    size_t size = (size_t)get_le(p, 4);
    if (size > (r->max ? r->max : FRAME_MAX))
        return -EMSGSIZE;
    if (have - FRAME_HEADER_SIZE < size)
        return 0;
    *ret = (struct frame){.type = (uint16_t)get_le(p + 4, 2),
                          .flags = (uint16_t)get_le(p + 6, 2),
                          .tag = get_le(p + 8, 8),
                          .body = p + FRAME_HEADER_SIZE,
                          .size = size};
    r->at += FRAME_HEADER_SIZE + size;
    return 1;
}

static void put_header(uint8_t *p, uint16_t type, uint16_t flags, uint64_t tag, size_t size)
{
    bug_on(size > UINT32_MAX);
    put_le(p, size, 4);
    put_le(p + 4, type, 2);
    put_le(p + 6, flags, 2);
    put_le(p + 8, tag, 8);
}

void frame_append_header(struct str *out, uint16_t type, uint16_t flags, uint64_t tag, size_t size)
{
    uint8_t header[FRAME_HEADER_SIZE];
    put_header(header, type, flags, tag, size);
    str_append_n(out, (const char *)header, sizeof header);
}

size_t frame_begin(struct str *out)
{
    size_t at = out->len;
    frame_append_header(out, 0, 0, 0, 0);
    return at;
}

void frame_end(struct str *out, size_t at, uint16_t type, uint16_t flags, uint64_t tag)
{
    bug_on(out->len < at + FRAME_HEADER_SIZE);
    put_header((uint8_t *)out->s + at, type, flags, tag, out->len - at - FRAME_HEADER_SIZE);
}
