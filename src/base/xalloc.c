/* xalloc.c - allocation that never returns NULL. */
#include "src/base/xalloc.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void *xalloc_must(void *p)
{
    if (!p) {
        static const char text[] = "stoker: out of memory\n";
        fwrite(text, 1, sizeof text - 1, stderr);
        abort();
    }
    return p;
}

void *xmalloc(size_t size)
{
    return xalloc_must(malloc(size ? size : 1));
}

void *xcalloc(size_t n, size_t size)
{
    return xalloc_must(calloc(n ? n : 1, size ? size : 1));
}

void *xrealloc(void *p, size_t size)
{
    return xalloc_must(realloc(p, size ? size : 1));
}

void *xreallocarray(void *p, size_t n, size_t size)
{
    return xalloc_must(reallocarray(p, n ? n : 1, size ? size : 1));
}

void *xmemdup(const void *p, size_t size)
{
    void *q = xmalloc(size);
    if (size)
        memcpy(q, p, size);
    return q;
}

char *xstrndup(const char *s, size_t n)
{
    return xalloc_must(strndup(s, n));
}

char *xstrdup(const char *s)
{
    return s ? xalloc_must(strdup(s)) : NULL;
}

void xstrset(char **at, const char *s)
{
    char *copy = xstrdup(s);
    free(*at);
    *at = copy;
}

char *xasprintf(const char *fmt, ...)
{
    char *s = NULL;
    va_list ap;
    va_start(ap, fmt);
    int n = vasprintf(&s, fmt, ap);
    va_end(ap);
    return xalloc_must(n < 0 ? NULL : s);
}
