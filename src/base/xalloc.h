/* xalloc.h - allocation that never returns NULL.
 *
 * Running out of memory ends the process: the state is on disk, a restart folds it again. Sizes that come
 * from outside must be bounded before they get here.
 */
#ifndef STOKER_BASE_XALLOC_H
#define STOKER_BASE_XALLOC_H

#include <stddef.h>

void *xmalloc(size_t size) __attribute__((malloc, warn_unused_result, returns_nonnull));
void *xcalloc(size_t n, size_t size) __attribute__((malloc, warn_unused_result, returns_nonnull));
void *xrealloc(void *p, size_t size) __attribute__((warn_unused_result, returns_nonnull));
void *xreallocarray(void *p, size_t n, size_t size) __attribute__((warn_unused_result, returns_nonnull));
void *xmemdup(const void *p, size_t size) __attribute__((warn_unused_result, returns_nonnull));
char *xstrndup(const char *s, size_t n) __attribute__((warn_unused_result, returns_nonnull));
char *xasprintf(const char *fmt, ...)
    __attribute__((format(printf, 1, 2), warn_unused_result, returns_nonnull));

/* A copy of s; NULL for NULL. */
char *xstrdup(const char *s) __attribute__((warn_unused_result));
/* Frees *at and puts a copy of s there; s may be a part of *at. */
void xstrset(char **at, const char *s);

#endif
