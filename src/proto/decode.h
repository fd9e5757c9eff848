/* decode.h - what reading records one by one (decode_rows.c) shares with reading a whole message: no other
 * file includes it. */
#ifndef STOKER_PROTO_DECODE_H
#define STOKER_PROTO_DECODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "src/base/err.h"
#include "src/record/rec.h"

enum value_type {
    VALUE_NIL,
    VALUE_BOOL,
    VALUE_UNSIGNED,
    VALUE_NEGATIVE,
    VALUE_FLOAT,
    VALUE_STR,
    VALUE_BIN,
    VALUE_ARRAY,
};

struct value {
    enum value_type type;
    uint32_t n; /* bytes of STR and BIN; values of an ARRAY, which come next */
    union {
        uint64_t u; /* UNSIGNED, BOOL */
        int64_t i;  /* NEGATIVE */
        double f;
        const uint8_t *p; /* STR, BIN */
    };
};

/* What is left to read, and what it may still cost. */
struct decoder {
    const uint8_t *at;
    size_t items_left, bytes_left;
    /* Memory of the owner's, which is not freed one by one; NULL: each thing is allocated on its own ... */
    void *(*take)(struct decoder *c, size_t n);
    /* ... but for texts, which are the owner's; NULL: none. */
    char *(*hold)(struct decoder *c, const char *s, size_t n);
    struct errtext *err;
};

/* Looks the whole body over. Returns the number of its values, or -EBADMSG. own: without bounds on items
 * and memory. take and hold are NULL afterwards. */
int64_t decode_open(struct decoder *c, const struct rec_desc *d, const void *p, size_t n, bool own,
                    struct errtext *err) __attribute__((warn_unused_result));
struct value decode_value(struct decoder *c);
void decode_skip(struct decoder *c, size_t n_values);
/* rec is zeroed memory. What has been built so far stays in it on failure. */
int decode_record(struct decoder *c, const struct rec_desc *d, size_t n_values, void *rec)
    __attribute__((warn_unused_result));

#endif
