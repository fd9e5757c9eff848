/* heap_sift.h - the two moves of a binary min-heap in an array, for elements of any type.
 *
 *     HEAP_SIFT(item_heap, struct item, item_before, item_put)
 *
 * defines item_heap_rise(v, i, t) and item_heap_sink(v, n, i, t): t is put at place i of v, whose element
 * is no longer wanted, or above or below it where the order asks for that. item_before(&a, &b) says which
 * of two comes first; item_put(v, i, t) is v[i] = t and what else is to be noted. Parents of i are at (i -
 * 1) / 2. src/base/heap.h is a heap of nodes that can be removed; this is for heaps of values.
 */
#ifndef STOKER_BASE_HEAP_SIFT_H
#define STOKER_BASE_HEAP_SIFT_H

#include <stddef.h>

#define HEAP_SIFT(heap, type, before, put)                                    \
    static void heap##_rise(type *v, size_t i, type t)                        \
    {                                                                         \
        for (; i && before(&t, &v[(i - 1) / 2]); i = (i - 1) / 2)             \
            put(v, i, v[(i - 1) / 2]);                                        \
        put(v, i, t);                                                         \
    }                                                                         \
    static void heap##_sink(type *v, size_t n, size_t i, type t)              \
    {                                                                         \
        for (size_t child; (child = 2 * i + 1) < n; i = child) {              \
            child += child + 1 < n && before(&v[child + 1], &v[child]);       \
            if (!before(&v[child], &t))                                       \
                break;                                                        \
            put(v, i, v[child]);                                              \
        }                                                                     \
        put(v, i, t);                                                         \
    }

#endif
