/* strpool.h - texts that many own together: equal ones become one, and how many hold it is counted.
 *
 * For what is kept in large numbers and says the same again and again: the jobs of a mirror name few users,
 * directories and partitions. A holder of a text of the set reads it, and neither changes nor frees it.
 */
#ifndef STOKER_SRC_BASE_STRPOOL_H
#define STOKER_SRC_BASE_STRPOOL_H

#include <stddef.h>

struct strpool;

/* A set belongs to all who hold it and goes with its last owner. No text may be held then. */
struct strpool *strpool_new(void) __attribute__((warn_unused_result, returns_nonnull));
struct strpool *strpool_ref(struct strpool *t);
void strpool_unref(struct strpool *t); /* NULL is fine */

/* Takes s, an allocated string, and returns what is to be held in its place: a text that others hold too,
 * s being freed then, or s itself. Texts are shared from their second time on, so that those that come only
 * once cost nothing. NULL stays NULL, here and below. */
char *strpool_take(struct strpool *t, char *s) __attribute__((warn_unused_result));
/* The same for n bytes that the caller keeps, none of them NUL: a copy is made only where no other holds
 * it. */
char *strpool_hold(struct strpool *t, const char *s, size_t n)
    __attribute__((warn_unused_result, returns_nonnull));
/* The way back: what was held becomes the caller's alone, who frees it. No copy where it has no other
 * holder. */
char *strpool_give(struct strpool *t, char *s) __attribute__((warn_unused_result));
/* Holds s no longer. */
void strpool_drop(struct strpool *t, char *s);

/* The same for an allocated struct of n bytes whose padding, if any, is zero and whose texts are held
 * already: equal structs have equal bytes, and each holder also holds the texts. give returns a struct that
 * the caller may change and must free. */
void *strpool_take_struct(struct strpool *t, void *p, size_t n)
    __attribute__((warn_unused_result, returns_nonnull));
void *strpool_give_struct(struct strpool *t, void *p, size_t n)
    __attribute__((warn_unused_result, returns_nonnull));

/* The number of different keys that are shared, structs included. */
size_t strpool_count(const struct strpool *t);

#endif
