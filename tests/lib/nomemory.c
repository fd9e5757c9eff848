/* nomemory.c - an allocation that fails, for a stokerd that is started with it in LD_PRELOAD: the one that
 * NO_MEMORY counts to, and no other. Whoever it starts has memory.
 */
#include <errno.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

extern void *__libc_malloc(size_t n);
extern void *__libc_calloc(size_t n, size_t size);
extern void *__libc_realloc(void *p, size_t n);

static atomic_long left; /* 0: none is to fail, or it has */

__attribute__((constructor)) static void begin(void)
{
    const char *n = getenv("NO_MEMORY");
    if (n && strcmp(program_invocation_short_name, "stokerd") == 0)
        left = atol(n);
}

static bool fails(void)
{
    if (left <= 0 || atomic_fetch_sub(&left, 1) != 1)
        return false;
    errno = ENOMEM;
    return true;
}

void *malloc(size_t n)
{
    return fails() ? NULL : __libc_malloc(n);
}

void *calloc(size_t n, size_t size)
{
    return fails() ? NULL : __libc_calloc(n, size);
}

void *realloc(void *p, size_t n)
{
    return fails() ? NULL : __libc_realloc(p, n);
}
