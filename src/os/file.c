/* file.c - writing to a descriptor. */
#include "src/os/file.h"

#include <errno.h>
#include <unistd.h>

int file_write_fd(int fd, const void *p, size_t n)
{
    for (const char *at = p, *end = at + n; at < end;) {
        ssize_t w = write(fd, at, (size_t)(end - at));
        if (w < 0 && errno == EINTR)
            continue;
        if (w <= 0)
            return w < 0 ? -errno : -ENOSPC;
        at += w;
    }
    return 0;
}
