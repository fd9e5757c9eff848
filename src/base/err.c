/* err.c - error texts and the end of the process on a bug of ours. */
#include "src/base/err.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int err_set(struct errtext *err, int code, const char *fmt, ...)
{
    if (err) {
        va_list ap;
        va_start(ap, fmt);
        vsnprintf(err->s, sizeof err->s, fmt, ap);
        va_end(ap);
    }
    return code;
}

int err_prefix(struct errtext *err, int code, const char *fmt, ...)
{
    if (!err)
        return code;
    struct errtext old = *err;
    va_list ap;
    va_start(ap, fmt);
    int n = vsnprintf(err->s, sizeof err->s, fmt, ap);
    va_end(ap);
    if (n >= 0 && (size_t)n < sizeof err->s)
        snprintf(err->s + n, sizeof err->s - (size_t)n, ": %s", old.s);
    return code;
}

void bug_at(const char *file, int line, const char *what)
{
    fprintf(stderr, "stoker: bug: %s:%d: %s\n", file, line, what);
    fflush(stderr);
    abort();
}
