/* kept_lines.c - lines that the viewer has made from an output. */
#include "ui/output/kept_lines.h"

#include <string.h>
#include <unistd.h>

#include "ui/output/output_stream.h"

void kept_lines_open(struct kept_lines *k)
{
    kept_lines_close(k);
    k->fd = stream_nameless();
}

void kept_lines_close(struct kept_lines *k)
{
    if (k->fd >= 0)
        close(k->fd);
    str_fini(&k->unfinished);
    *k = KEPT_LINES_CLOSED;
}

void kept_lines_clear(struct kept_lines *k)
{
    k->size = 0;
    str_clear(&k->unfinished);
}

bool kept_lines_add(struct kept_lines *k, const char *s, size_t n)
{
    if (k->fd < 0 || pwrite(k->fd, s, n, k->size) != (ssize_t)n)
        return false;
    k->size += (int64_t)n;
    return true;
}

bool kept_lines_end_with(struct kept_lines *k, struct str *unfinished)
{
    struct str before = k->unfinished;
    bool same =
        before.len == unfinished->len && (!before.len || memcmp(before.s, unfinished->s, before.len) == 0);
    k->unfinished = *unfinished;
    str_init(unfinished);
    str_fini(&before);
    return !same;
}

int64_t kept_lines_size(void *kept)
{
    const struct kept_lines *k = kept;
    return k->size + (int64_t)k->unfinished.len;
}

size_t kept_lines_read(void *kept, int64_t at, char *buf, size_t n)
{
    const struct kept_lines *k = kept;
    size_t got = 0;
    if (at < k->size && k->fd >= 0) {
        size_t left = (size_t)(k->size - at);
        ssize_t r = pread(k->fd, buf, n < left ? n : left, at);
        if (r <= 0)
            return 0;
        got = (size_t)r;
    }
    int64_t behind = at + (int64_t)got - k->size;
    if (behind >= 0 && behind < (int64_t)k->unfinished.len && got < n) {
        size_t left = k->unfinished.len - (size_t)behind;
        left = left < n - got ? left : n - got;
        memcpy(buf + got, k->unfinished.s + behind, left);
        got += left;
    }
    return got;
}
