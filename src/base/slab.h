/* slab.h - many small pieces of memory: those of one size lie side by side, without the 8 to 24 bytes that
 * malloc adds to each. For what is kept by the hundred thousand.
 * Owns its blocks; one that is empty goes back at once. The caller of slab_give says how large the piece
 * was.
 */
#ifndef STOKER_BASE_SLAB_H
#define STOKER_BASE_SLAB_H

#include <stddef.h>

#define SLAB_STEP 8   /* sizes are rounded up to it: what is kept is text, and aligned to no more */
#define SLAB_MOST 128 /* what is larger comes from malloc */

struct slab {                                            /* zeroed: empty */
    struct slab_block *with_room[SLAB_MOST / SLAB_STEP]; /* by size */
    size_t n_blocks;
};

/* n bytes, unset. */
void *slab_take(struct slab *s, size_t n) __attribute__((warn_unused_result, returns_nonnull));
/* Gives back what slab_take has given for the same n. */
void slab_give(struct slab *s, void *p, size_t n);

#endif
