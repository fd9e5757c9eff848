/* slab.c - pieces are taken; slab_give.c is the way back: readers of messages do not need it. */
#include "src/base/slab_private.h"
#include "src/base/xalloc.h"

void slab_link(struct slab *s, struct slab_block *b, size_t class)
{
    b->prev = NULL;
    b->next = s->with_room[class];
    if (b->next)
        b->next->prev = b;
    s->with_room[class] = b;
}

void slab_unlink(struct slab *s, struct slab_block *b, size_t class)
{
    struct slab_block **to_b = b->prev ? &b->prev->next : &s->with_room[class];
    *to_b = b->next;
    if (b->next)
        b->next->prev = b->prev;
}

void *slab_take(struct slab *s, size_t n)
{
    size_t class = slab_class(n);
    if (n > SLAB_MOST)
        return xmalloc(n);
    struct slab_block *b = s->with_room[class];
    if (!b) {
        b = xaligned_alloc(SLAB_BLOCK, SLAB_BLOCK);
        *b = (struct slab_block){.fresh = sizeof *b};
        slab_link(s, b, class);
        s->n_blocks++;
    }
    void *p = b->free;
    if (p) {
        b->free = *(void **)p;
    } else {
        p = (char *)b + b->fresh;
        b->fresh += (uint32_t)slab_size(class);
    }
    b->used++;
    if (slab_is_full(b, class))
        slab_unlink(s, b, class);
    return p;
}
