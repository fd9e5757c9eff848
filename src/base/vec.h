/* vec.h - growable arrays by macro.
 *
 *     VEC(struct job *) jobs = VEC_INIT;
 *     vec_push(&jobs, j);
 *     vec_for_each (&jobs, i) use(jobs.v[i]);
 *     vec_fini(&jobs);
 *
 * Owns its array, never what the elements point to.
 */
#ifndef STOKER_BASE_VEC_H
#define STOKER_BASE_VEC_H

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "src/base/xalloc.h"

#define VEC(type)      \
    struct {           \
        type *v;       \
        size_t n, cap; \
    }
#define VEC_INIT                    \
    {                               \
        .v = NULL, .n = 0, .cap = 0 \
    }

#define vec_reserve(a, want)                                           \
    do {                                                               \
        size_t want_ = (want);                                         \
        if (want_ > (a)->cap) {                                        \
            size_t cap_ = (a)->cap * 2 > want_ ? (a)->cap * 2 : want_; \
            cap_ = cap_ < 8 ? 8 : cap_;                                \
            (a)->v = xreallocarray((a)->v, cap_, sizeof *(a)->v);      \
            (a)->cap = cap_;                                           \
        }                                                              \
    } while (0)

#define vec_push(a, ...)                  \
    do {                                  \
        vec_reserve(a, (a)->n + 1);       \
        (a)->v[(a)->n++] = (__VA_ARGS__); \
    } while (0)

/* Removes element i and closes the gap: order is kept. */
#define vec_remove(a, i)                                                           \
    do {                                                                           \
        size_t i_ = (i);                                                           \
        memmove(&(a)->v[i_], &(a)->v[i_ + 1], ((a)->n - i_ - 1) * sizeof *(a)->v); \
        (a)->n--;                                                                  \
    } while (0)

#define vec_clear(a)       ((void)((a)->n = 0))
#define vec_for_each(a, i) for (size_t i = 0; i < (a)->n; i++)

#define vec_fini(a)            \
    do {                       \
        free((a)->v);          \
        (a)->v = NULL;         \
        (a)->n = (a)->cap = 0; \
    } while (0)

#endif
