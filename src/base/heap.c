/* heap.c - a binary min-heap of intrusive nodes. */
#include "src/base/heap.h"

#include <stdlib.h>

#include "src/base/err.h"
#include "src/base/heap_sift.h"
#include "src/base/xalloc.h"

void heap_fini(struct heap *h)
{
    for (size_t i = 0; i < h->n; i++)
        h->v[i]->at = 0;
    free(h->v);
    *h = (struct heap){0};
}

/* seq breaks ties, so that what was armed first fires first. */
static bool heap_before(struct heap_node *const *a, struct heap_node *const *b)
{
    return (*a)->key != (*b)->key ? (*a)->key < (*b)->key : (*a)->seq < (*b)->seq;
}

static void heap_put(struct heap_node **v, size_t i, struct heap_node *node)
{
    v[i] = node;
    node->at = i + 1;
}

HEAP_SIFT(heap_node, struct heap_node *, heap_before, heap_put)

void heap_insert(struct heap *h, struct heap_node *node, int64_t key)
{
    bug_on(node->at);
    if (h->n == h->cap) {
        h->cap = h->cap ? h->cap * 2 : 16;
        h->v = xreallocarray(h->v, h->cap, sizeof *h->v);
    }
    node->key = key;
    node->seq = ++h->seq;
    heap_node_rise(h->v, h->n++, node);
}

void heap_remove(struct heap *h, struct heap_node *node)
{
    if (!node->at)
        return;
    size_t i = node->at - 1;
    bug_on(i >= h->n || h->v[i] != node);
    node->at = 0;
    struct heap_node *last = h->v[--h->n];
    if (last == node)
        return;
    /* The last node takes the free place, from where it may have to go either way. */
    if (i && heap_before(&last, &h->v[(i - 1) / 2]))
        heap_node_rise(h->v, i, last);
    else
        heap_node_sink(h->v, h->n, i, last);
}

struct heap_node *heap_peek(const struct heap *h)
{
    return h->n ? h->v[0] : NULL;
}

struct heap_node *heap_pop(struct heap *h)
{
    struct heap_node *node = heap_peek(h);
    if (node)
        heap_remove(h, node);
    return node;
}
