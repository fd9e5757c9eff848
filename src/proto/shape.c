/* shape.c - looks a MessagePack value over without building it. */
#include "src/proto/shape.h"

#include <stdbool.h>
#include <string.h>

struct token {
    size_t head;     /* bytes of type and length */
    size_t payload;  /* bytes of a string, a binary or a number */
    size_t children; /* of an array */
    bool is_array;
};

static size_t get_be(const uint8_t *p, size_t n)
{
    size_t v = 0;
    for (size_t i = 0; i < n; i++)
        v = v << 8 | p[i];
    return v;
}

/* Bytes of the length field or of the number behind the type byte 0xc0 + i; 255: a type that we never
 * write. */
#define NEVER 255
static const uint8_t sizes[32] = {
    [0x00] = 0,     [0x01] = NEVER, [0x02] = 0,     [0x03] = 0,     /* nil, -, false, true */
    [0x04] = 1,     [0x05] = 2,     [0x06] = 4,                     /* bin */
    [0x07] = NEVER, [0x08] = NEVER, [0x09] = NEVER,                 /* ext */
    [0x0a] = 4,     [0x0b] = 8,                                     /* float */
    [0x0c] = 1,     [0x0d] = 2,     [0x0e] = 4,     [0x0f] = 8,     /* uint */
    [0x10] = 1,     [0x11] = 2,     [0x12] = 4,     [0x13] = 8,     /* int */
    [0x14] = NEVER, [0x15] = NEVER, [0x16] = NEVER, [0x17] = NEVER, /* fixext */
    [0x18] = NEVER, [0x19] = 1,     [0x1a] = 2,     [0x1b] = 4,     /* -, str */
    [0x1c] = 2,     [0x1d] = 4,                                     /* array */
    [0x1e] = NEVER, [0x1f] = NEVER,                                 /* map */
};

static const char *const too_short = "it ends too early";

static const char *read_token(const uint8_t *p, size_t n, struct token *ret)
{
    *ret = (struct token){.head = 1};
    if (!n)
        return too_short;
    uint8_t b = p[0];
    if (b < 0x80 || b >= 0xe0)
        return NULL;
    if (b < 0x90)
        return "a map";
    if (b < 0xa0) {
        ret->is_array = true;
        ret->children = b & 0x0f;
        return NULL;
    }
    if (b < 0xc0) {
        ret->payload = b & 0x1f;
        return NULL;
    }
    uint8_t size = sizes[b - 0xc0];
    if (size == NEVER)
        return "a type of value that is never sent";
    if (size > n - 1)
        return too_short;
    bool has_length = (b >= 0xc4 && b <= 0xc6) || b >= 0xd9;
    if (!has_length) {
        ret->payload = size;
        return NULL;
    }
    ret->head += size;
    ret->is_array = b >= 0xdc;
    size_t count = get_be(p + 1, size);
    *(ret->is_array ? &ret->children : &ret->payload) = count;
    return NULL;
}

/* All bytes of a value that has neither children nor a length of its own, by its first byte; 0: it has. */
#define ROW(v) v, v, v, v, v, v, v, v, v, v, v, v, v, v, v, v
#define ROW_UP(v) v, v + 1, v + 2, v + 3, v + 4, v + 5, v + 6, v + 7, v + 8, v + 9, v + 10, v + 11, v + 12, v + 13, \
                  v + 14, v + 15
static const uint8_t whole[256] = {
    ROW(1),    ROW(1),     ROW(1), ROW(1), ROW(1), ROW(1), ROW(1), ROW(1), /* small numbers */
    ROW(0),    ROW(0),                                                     /* maps, arrays */
    ROW_UP(1), ROW_UP(17),                                                 /* short strings */
    1,         0,          1,      1,      0,      0,      0,      0,
    0,         0,          5,      9,      2,      3,      5,      9, /* nil, booleans, numbers */
    2,         3,          5,      9,      0,      0,      0,      0,
    0,         0,          0,      0,      0,      0,      0,      0, /* numbers below zero */
    ROW(1),    ROW(1),                                                /* just below zero */
};

#define NILS UINT64_C(0xc0c0c0c0c0c0c0c0)

/* Skips plain values, at most `most` of them. Returns how many. */
static size_t skip_plain(const uint8_t **p, size_t *n, size_t most)
{
    const uint8_t *at = *p, *end = at + *n;
    size_t left = most;
    while (left && at < end) {
        uint64_t eight;
        if (*at == 0xc0 && left >= 8 && end - at >= 8 && (memcpy(&eight, at, 8), eight == NILS)) {
            at += 8; /* rows of listings have long runs of them */
            left -= 8;
            continue;
        }
        size_t size = whole[*at];
        if (!size || size > (size_t)(end - at))
            break;
        at += size;
        left--;
    }
    *n = (size_t)(end - at);
    *p = at;
    return most - left;
}

const char *shape_check(const uint8_t *p, size_t n)
{
    size_t open[SHAPE_MAX_DEPTH]; /* values still owed to each open array */
    size_t depth = 0, owed = 1;   /* owed: by all of them together, each at least a byte */

    while (owed) {
        struct token t;
        if (depth) {
            size_t plain = skip_plain(&p, &n, open[depth - 1]);
            owed -= plain;
            open[depth - 1] -= plain;
            while (depth && !open[depth - 1])
                depth--;
            if (plain)
                continue;
        }
        const char *why = read_token(p, n, &t);
        if (why)
            return why;
        if (n - t.head < t.payload)
            return too_short;
        p += t.head + t.payload;
        n -= t.head + t.payload;
        owed--;
        if (t.children > n || owed + t.children > n)
            return "a count larger than what follows";
        owed += t.children;
        if (depth)
            open[depth - 1]--;
        if (t.is_array && depth == SHAPE_MAX_DEPTH)
            return "arrays nested too deeply";
        if (t.children)
            open[depth++] = t.children;
        while (depth && !open[depth - 1])
            depth--;
    }
    return n ? "bytes behind its end" : NULL;
}
