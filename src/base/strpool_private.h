/* strpool_private.h - what the files of the set of shared texts have in common: open addressing, a slot for
 * each text with its hash and its count. */
#ifndef STOKER_BASE_STRPOOL_PRIVATE_H
#define STOKER_BASE_STRPOOL_PRIVATE_H

#include <stdbool.h>
#include <stdint.h>

#include "src/base/strpool.h"

struct slot {
    char *s; /* NULL: free */
    uint32_t hash, holders;
    size_t n;       /* bytes, of a text without its NUL */
    bool is_struct; /* no text is a struct with the same bytes */
};

/* What is looked for. */
struct strpool_key {
    const char *s;
    size_t n;
    uint32_t hash;
    bool is_struct;
};

#define STRPOOL_NEW 4096 /* a power of two */

struct strpool {
    struct slot *slots;
    size_t n, cap; /* cap is a power of two */
    unsigned owners;
    uint32_t seen[STRPOOL_NEW]; /* hashes of what came once, each at its place */
};

struct strpool_key strpool_text_key(const char *s, size_t n);
struct strpool_key strpool_struct_key(const void *p, size_t n);
/* The slot of what has that key, or the free one where it belongs. */
struct slot *strpool_find(const struct strpool *t, const struct strpool_key *k);
/* What has that key has not been found, at is where it belongs, own what will be held: takes it in if this
 * is the second time. */
void strpool_meet(struct strpool *t, struct slot *at, char *own, const struct strpool_key *k);

#endif
