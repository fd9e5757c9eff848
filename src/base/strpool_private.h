/* strpool_private.h - the structs that the files of the set of shared texts have in common: a table with
 * open addressing, and a slot with hash and count for each text. */
#ifndef STOKER_BASE_STRPOOL_PRIVATE_H
#define STOKER_BASE_STRPOOL_PRIVATE_H

#include <stdbool.h>
#include <stdint.h>

#include "src/base/strpool.h"

struct slot {
    char *s; /* NULL: free */
    uint32_t hash, holders;
    size_t n;       /* bytes; for a text without its NUL */
    bool is_struct; /* a text and a struct with the same bytes differ */
};

/* The key of a look-up. */
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
    uint32_t seen[STRPOOL_NEW]; /* hashes of keys that came once, by position */
};

struct strpool_key strpool_text_key(const char *s, size_t n);
struct strpool_key strpool_struct_key(const void *p, size_t n);
/* The slot with that key, or the free slot where it belongs. */
struct slot *strpool_find(const struct strpool *t, const struct strpool_key *k);
/* The key has not been found: at is the slot where it belongs, own is the value to hold. Adds it to the set
 * if this is the second time that the key comes. */
void strpool_meet(struct strpool *t, struct slot *at, char *own, const struct strpool_key *k);

#endif
