/* heap.h - a binary min-heap of intrusive nodes: timers, and whatever wakes at a time. */
#ifndef STOKER_BASE_HEAP_H
#define STOKER_BASE_HEAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct heap_node {
    int64_t key;  /* smallest first; equal keys keep the order of insertion */
    uint64_t seq; /* set by heap_insert */
    size_t at;    /* position + 1 in the heap; 0 = not in one */
};

struct heap {
    struct heap_node **v;
    size_t n, cap;
    uint64_t seq;
};

void heap_fini(struct heap *h);
/* node must not be in a heap. Zero-initialised nodes are not. */
void heap_insert(struct heap *h, struct heap_node *node, int64_t key);
/* No-op when the node is in no heap. */
void heap_remove(struct heap *h, struct heap_node *node);
/* The smallest, or NULL. */
struct heap_node *heap_peek(const struct heap *h);
struct heap_node *heap_pop(struct heap *h);

static inline bool heap_has(const struct heap_node *node)
{
    return node->at != 0;
}

#endif
