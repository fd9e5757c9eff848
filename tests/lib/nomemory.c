/* nomemory.c - an allocation that fails, for a stokerd that is started with it in LD_PRELOAD: the one that
 * NO_MEMORY counts to, and no other. The processes that it starts have memory, but for an agent where
 * NO_MEMORY_AGENT names a file: the first one takes the number in it, and the file away.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

extern void *__libc_malloc(size_t n);
extern void *__libc_calloc(size_t n, size_t size);
extern void *__libc_realloc(void *p, size_t n);

static atomic_long left; /* 0: none is to fail, or it has */

static long number_in(const char *path)
{
    char text[32] = "";
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t n = fd >= 0 ? read(fd, text, sizeof text - 1) : 0;
    if (fd >= 0)
        close(fd);
    return n > 0 && unlink(path) == 0 ? atol(text) : 0;
}

__attribute__((constructor)) static void begin(void)
{
    const char *n = getenv("NO_MEMORY"), *path = getenv("NO_MEMORY_AGENT");
    if (n && strcmp(program_invocation_short_name, "stokerd") == 0)
        left = atol(n);
    if (path && strcmp(program_invocation_short_name, "stoker-agent") == 0)
        left = number_in(path);
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
