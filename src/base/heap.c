/* heap.c - a binary min-heap of intrusive nodes. */
#include "src/base/heap.h"

#include <stdlib.h>

#include "src/base/err.h"
#include "src/base/xalloc.h"

void heap_fini(struct heap *h)
{
    for (size_t i = 0; i < h->n; i++)
        h->v[i]->at = 0;
    free(h->v);
    *h = (struct heap){0};
}

/* seq breaks ties, so that what was armed first fires first. */
static bool heap_before(const struct heap_node *a, const struct heap_node *b)
{
    return a->key != b->key ? a->key < b->key : a->seq < b->seq;
}

static void heap_put(struct heap *h, size_t i, struct heap_node *node)
{
    h->v[i] = node;
    node->at = i + 1;
}

static void sift_up(struct heap *h, size_t i, struct heap_node *node)
{
    while (i && heap_before(node, h->v[(i - 1) / 2])) {
        heap_put(h, i, h->v[(i - 1) / 2]);
        i = (i - 1) / 2;
    }
    heap_put(h, i, node);
}

static void sift_down(struct heap *h, size_t i, struct heap_node *node)
{
    for (size_t child; (child = 2 * i + 1) < h->n; i = child) {
        if (child + 1 < h->n && heap_before(h->v[child + 1], h->v[child]))
            child++;
        if (!heap_before(h->v[child], node))
            break;
        heap_put(h, i, h->v[child]);
    }
    heap_put(h, i, node);
}

void heap_insert(struct heap *h, struct heap_node *node, int64_t key)
{
    bug_on(node->at);
    if (h->n == h->cap) {
        h->cap = h->cap ? h->cap * 2 : 16;
        h->v = xreallocarray(h->v, h->cap, sizeof *h->v);
    }
    node->key = key;
    node->seq = ++h->seq;
    sift_up(h, h->n++, node);
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
    if (i && heap_before(last, h->v[(i - 1) / 2]))
        sift_up(h, i, last);
    else
        sift_down(h, i, last);
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
