/* slab_give.c - pieces come back. */
#include <stdlib.h>

#include "src/base/err.h"
#include "src/base/slab_private.h"

void slab_give(struct slab *s, void *p, size_t n)
{
    size_t class = slab_class(n);
    if (n > SLAB_MOST) {
        free(p);
        return;
    }
    struct slab_block *b = (struct slab_block *)((uintptr_t)p & ~(uintptr_t)(SLAB_BLOCK - 1));
    bug_on(!b->used);
    if (slab_is_full(b, class))
        slab_link(s, b, class);
    *(void **)p = b->free;
    b->free = p;
    if (--b->used)
        return;
    slab_unlink(s, b, class);
    free(b);
    s->n_blocks--;
}
