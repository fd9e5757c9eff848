/* slab_private.h - blocks of pieces of one size: what taking and giving back share. */
#ifndef STOKER_BASE_SLAB_PRIVATE_H
#define STOKER_BASE_SLAB_PRIVATE_H

#include <stdbool.h>
#include <stdint.h>

#include "src/base/slab.h"

#define SLAB_BLOCK 16384 /* a block begins at a multiple of it, so that a piece tells its block */

struct slab_block {
    struct slab_block *next, *prev; /* of those with room for the same size */
    void *free;                     /* pieces that came back: each begins with a pointer to the next */
    uint32_t used, fresh;           /* pieces given out; bytes from the start that have ever been */
};

static inline size_t slab_class(size_t n)
{
    return n ? (n - 1) / SLAB_STEP : 0;
}

static inline size_t slab_size(size_t class)
{
    return (class + 1) * SLAB_STEP;
}

static inline bool slab_is_full(const struct slab_block *b, size_t class)
{
    return !b->free && b->fresh + slab_size(class) > SLAB_BLOCK;
}

/* Into and out of the list of those with room. */
void slab_link(struct slab *s, struct slab_block *b, size_t class);
void slab_unlink(struct slab *s, struct slab_block *b, size_t class);

#endif
