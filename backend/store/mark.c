#include "backend/store/mark.h"

#include <fcntl.h>
#include <stddef.h>
#include <string.h>
#include <unistd.h>

#include "src/base/crc.h"

#define MAGIC "StokMark"

struct stored {
    char magic[8];
    uint64_t cluster, epoch, seq;
    uint32_t next_job, crc;
};
_Static_assert(sizeof(struct stored) == 40, "the file's form");

static uint32_t mark_crc_of(const struct stored *s)
{
    return crc32c(0, s, offsetof(struct stored, crc));
}

void mark_open(struct mark_file *m, const char *path, bool *ret_damaged)
{
    struct stored s;
    *m = (struct mark_file){.fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600)};
    ssize_t n = m->fd < 0 ? 0 : pread(m->fd, &s, sizeof s, 0);
    bool good = n == sizeof s && memcmp(s.magic, MAGIC, sizeof s.magic) == 0 && s.crc == mark_crc_of(&s);
    if (good)
        m->v = (struct mark_values){
            .cluster = s.cluster, .epoch = s.epoch, .seq = s.seq, .next_job = s.next_job};
    *ret_damaged = n > 0 && !good;
}

void mark_write(struct mark_file *m, const struct mark_values *v)
{
    struct stored s = {.cluster = v->cluster, .epoch = v->epoch, .seq = v->seq, .next_job = v->next_job};
    memcpy(s.magic, MAGIC, sizeof s.magic);
    s.crc = mark_crc_of(&s);
    m->v = *v;
    if (m->fd >= 0 && pwrite(m->fd, &s, sizeof s, 0) != (ssize_t)sizeof s) {
        /* An older mark is a weaker one, never a wrong one: see store.c. */
    }
}

void mark_write_synced(struct mark_file *m, const struct mark_values *v)
{
    mark_write(m, v);
    if (m->fd >= 0 && fdatasync(m->fd) < 0) {
        /* A disk that fails here fails at the commit that follows. */
    }
}

void mark_close(struct mark_file *m)
{
    if (m->fd >= 0)
        close(m->fd);
    m->fd = -1;
}
