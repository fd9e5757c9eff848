/* wal.c - SQLite's write-ahead log, read without SQLite. The format: https://www.sqlite.org/walformat.html
 *
 *     header   magic, version, page size, checkpoint number, salt 1, salt 2, checksum 1, checksum 2
 *     frame    page number, pages of the database after a commit (else 0), salts, checksums; then the page
 *
 * All numbers are big-endian. A frame's checksum continues that of the frame before it, so one frame behind
 * the damage can be checked against the checksum that the frame before it names, damaged or not.
 */
#include "backend/store/wal.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "src/base/xalloc.h"

#define MAGIC        0x377f0682u /* the lowest bit: words are summed as big-endian numbers */
#define HEADER_SIZE  32u
#define FRAME_HEADER 24u
#define PAGE_MAX     65536u
#define SALT_AT      16u /* in the file's header */

struct sums {
    uint32_t a, b;
};

struct wal {
    int fd;
    uint64_t size;
    uint32_t page_size;
    bool big_endian;
    uint8_t salts[8];
    uint8_t *frame; /* the one that was read last */
};

static uint32_t wal_be32(const uint8_t *p)
{
    return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
}

static uint32_t wal_le32(const uint8_t *p)
{
    return (uint32_t)p[3] << 24 | (uint32_t)p[2] << 16 | (uint32_t)p[1] << 8 | p[0];
}

static struct sums wal_add(const struct wal *w, struct sums s, const uint8_t *p, size_t n)
{
    for (size_t i = 0; i + 8 <= n; i += 8) {
        s.a += (w->big_endian ? wal_be32(p + i) : wal_le32(p + i)) + s.b;
        s.b += (w->big_endian ? wal_be32(p + i + 4) : wal_le32(p + i + 4)) + s.a;
    }
    return s;
}

static struct sums wal_sums_at(const uint8_t *p)
{
    return (struct sums){wal_be32(p), wal_be32(p + 4)};
}

static bool wal_same(struct sums x, struct sums y)
{
    return x.a == y.a && x.b == y.b;
}

static bool wal_read_all(int fd, void *p, size_t n, uint64_t at)
{
    return pread(fd, p, n, (off_t)at) == (ssize_t)n;
}

enum header { HEADER_NONE, HEADER_GOOD, HEADER_DAMAGED };

/* The header is on disk before the first frame is written: one that is not whole, with frames behind it,
 * was damaged. One of zeros was never written. */
static enum header wal_read_header(struct wal *w, struct sums *ret)
{
    static const uint8_t zeros[HEADER_SIZE];
    uint8_t h[HEADER_SIZE];
    if (w->size <= HEADER_SIZE || !wal_read_all(w->fd, h, sizeof h, 0) || memcmp(h, zeros, sizeof h) == 0)
        return HEADER_NONE;
    w->big_endian = wal_be32(h) & 1;
    w->page_size = wal_be32(h + 8);
    memcpy(w->salts, h + SALT_AT, sizeof w->salts);
    *ret = wal_add(w, (struct sums){0, 0}, h, 24);
    bool good = (wal_be32(h) & ~1u) == MAGIC && w->page_size >= 512 && w->page_size <= PAGE_MAX &&
                wal_same(*ret, wal_sums_at(h + 24));
    return good ? HEADER_GOOD : HEADER_DAMAGED;
}

static bool wal_read_frame(struct wal *w, uint64_t i)
{
    size_t size = FRAME_HEADER + w->page_size;
    return HEADER_SIZE + (i + 1) * size <= w->size &&
           wal_read_all(w->fd, w->frame, size, HEADER_SIZE + i * size);
}

static bool wal_is_of_this_log(const struct wal *w)
{
    return memcmp(w->frame + 8, w->salts, sizeof w->salts) == 0;
}

static bool wal_is_commit(const struct wal *w)
{
    return wal_be32(w->frame + 4) != 0;
}

/* Does the frame that was read continue the one whose sums are before? */
static bool wal_continues(const struct wal *w, struct sums before)
{
    struct sums s = wal_add(w, before, w->frame, 8);
    s = wal_add(w, s, w->frame + FRAME_HEADER, w->page_size);
    return wal_is_of_this_log(w) && wal_be32(w->frame) != 0 && wal_same(s, wal_sums_at(w->frame + 16));
}

/* Frames that fit, from the beginning. */
static uint64_t wal_count_whole(struct wal *w, struct sums sums)
{
    uint64_t n = 0;
    while (wal_read_frame(w, n) && wal_continues(w, sums)) {
        sums = wal_sums_at(w->frame + 16);
        n++;
    }
    return n;
}

/* Commits among the frames behind the first one that does not fit. */
static uint64_t wal_count_commits_behind(struct wal *w, uint64_t bad)
{
    uint64_t n = 0;
    if (!wal_read_frame(w, bad))
        return 0;
    struct sums before = wal_sums_at(w->frame + 16);
    /* The damage may lie in the commit frame itself. */
    n += wal_is_of_this_log(w) && wal_is_commit(w) && wal_be32(w->frame) != 0;
    for (uint64_t i = bad + 1; wal_read_frame(w, i); i++) {
        n += wal_is_commit(w) && wal_continues(w, before);
        before = wal_sums_at(w->frame + 16);
    }
    return n;
}

int wal_check(const char *path, struct errtext *err)
{
    struct stat st;
    struct sums sums;
    struct wal w = {.fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW)};
    if (w.fd < 0)
        return errno == ENOENT ? 0 : err_set(err, -errno, "%s: %s", path, strerror(errno));
    int r = 0;
    if (fstat(w.fd, &st) == 0)
        w.size = (uint64_t)st.st_size;
    enum header header = wal_read_header(&w, &sums);
    if (header == HEADER_DAMAGED)
        r = err_set(err, -EUCLEAN, "%s is damaged: its header cannot be read", path);
    if (header == HEADER_GOOD) {
        w.frame = xmalloc(FRAME_HEADER + w.page_size);
        uint64_t whole = wal_count_whole(&w, sums), behind = wal_count_commits_behind(&w, whole);
        /* One is the end of a transaction that a power failure tore. */
        if (behind > 1)
            r = err_set(err, -EUCLEAN,
                        "%s is damaged at frame %llu, byte %llu: %llu committed transactions lie behind it",
                        path, (unsigned long long)whole + 1,
                        (unsigned long long)(HEADER_SIZE + whole * (FRAME_HEADER + w.page_size)),
                        (unsigned long long)behind);
        free(w.frame);
    }
    close(w.fd);
    return r;
}
