/* output_save.c - writes an output into a new file. */
#include "ui/output/output_save.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "src/base/xalloc.h"
#include "src/lang/lang.h"

void output_save_init(struct output_save *s)
{
    *s = (struct output_save){.fd = -1};
}

void output_save_stop(struct output_save *s)
{
    if (s->fd >= 0)
        close(s->fd);
    free(s->path);
    output_save_init(s);
}

int output_save_begin(struct output_save *s, const char *path, struct errtext *err)
{
    output_save_stop(s);
    s->fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (s->fd < 0 && errno == EEXIST)
        return err_set(err, -EEXIST, tr("%s exists; choose another name"), path);
    if (s->fd < 0)
        return err_set(err, -errno, "%s: %s", path, strerror(errno));
    s->path = xstrdup(path);
    return 0;
}

static int write_all(int fd, const char *buf, size_t n)
{
    while (n) {
        ssize_t k = write(fd, buf, n);
        if (k < 0 && errno == EINTR)
            continue;
        if (k <= 0)
            return k < 0 ? -errno : -EIO;
        buf += k;
        n -= (size_t)k;
    }
    return 0;
}

enum output_saved output_save_work(struct output_save *s, const struct pager_file *f, int64_t size,
                                   struct errtext *err)
{
    char *buf = xmalloc(PAGER_SLICE);
    int64_t left = size - s->at;
    size_t want = left < PAGER_SLICE ? (left > 0 ? (size_t)left : 0) : PAGER_SLICE;
    size_t n = f->read && want ? f->read(f->ctx, s->at, buf, want) : 0;
    int rc = write_all(s->fd, buf, n);
    free(buf);
    s->at += (int64_t)n;
    if (!rc && n && s->at < size)
        return SAVED_PART;
    if (!rc && s->at < size) {
        err_set(err, -EIO, tr("%s has only a part of the output: the rest cannot be read"), s->path);
        return SAVED_NOT;
    }
    if (!rc && close(s->fd) < 0) /* some file systems say only now that there was no room */
        rc = -errno;
    s->fd = rc ? s->fd : -1;
    err_set(err, rc, "%s: %s", s->path, strerror(-rc));
    return rc ? SAVED_NOT : SAVED_ALL;
}
