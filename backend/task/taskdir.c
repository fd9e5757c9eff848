/* taskdir.c - a task's directory. */
#include "backend/task/taskdir.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "backend/task/atomic_file.h"
#include "src/base/crc.h"
#include "src/base/xalloc.h"
#include "src/proto/codec.h"

#define END_MAX       (4u << 20)
#define RESERVE_PIECE 8192

const char *taskdir_name(const struct launch_key *key, char buf[static TASKDIR_NAME_SIZE])
{
    snprintf(buf, TASKDIR_NAME_SIZE, "%u.%d.%u.%u", key->job, key->step, key->task, key->attempt);
    return buf;
}

bool taskdir_parse_name(const char *name, struct launch_key *ret)
{
    char again[TASKDIR_NAME_SIZE];
    ret->nonce = 0;
    return sscanf(name, "%u.%d.%u.%u", &ret->job, &ret->step, &ret->task, &ret->attempt) == 4 &&
           strcmp(taskdir_name(ret, again), name) == 0;
}

const char *taskdir_mark(const struct launch_key *key, const char *cluster,
                         char buf[static TASKDIR_MARK_SIZE])
{
    char name[TASKDIR_NAME_SIZE];
    snprintf(buf, TASKDIR_MARK_SIZE, "STOKER_LAUNCH=%s@%.64s", taskdir_name(key, name),
             cluster ? cluster : "");
    return buf;
}

int taskdir_claim(int dir_fd, const struct shim_record *rec)
{
    char text[240];
    snprintf(text, sizeof text, "%u %d %llu %s %lld %llx %s", rec->version, (int)rec->pid,
             (unsigned long long)rec->start, rec->boot_id[0] ? rec->boot_id : "-",
             (long long)rec->t_start.ms, (unsigned long long)rec->nonce, rec->group);
    return symlinkat(text, dir_fd, "shim") < 0 ? -errno : 0;
}

int taskdir_read_claim(int dir_fd, struct shim_record *ret)
{
    char text[240];
    ssize_t n = readlinkat(dir_fd, "shim", text, sizeof text - 1);
    if (n < 0)
        return errno == EINVAL ? -EBADMSG : -errno;
    text[n] = '\0';
    struct shim_record rec = {0};
    int pid;
    unsigned long long start, nonce = 0;
    long long t;
    if (sscanf(text, "%u %d %llu %39s %lld %llx %63s", &rec.version, &pid, &start, rec.boot_id, &t, &nonce,
               rec.group) < 5 ||
        pid < 0)
        return -EBADMSG;
    rec.pid = pid;
    rec.start = start;
    rec.t_start.ms = t;
    rec.nonce = nonce;
    *ret = rec;
    return 0;
}

/* A checksum within what it is of: its own place counts as CRC_PLACE. The highest bit is always set, so
 * that it always takes five bytes, of which the first says that four follow. */
#define CRC_PLACE  0x80000000u
#define CRC_PREFIX 0xce

static void put_be32(uint8_t *p, uint32_t v)
{
    for (int i = 0; i < 4; i++)
        p[i] = (uint8_t)(v >> (24 - 8 * i));
}

/* Where the last number v is; NULL: nowhere. */
static uint8_t *find_number(uint8_t *p, size_t n, uint32_t v)
{
    uint8_t want[5] = {CRC_PREFIX};
    put_be32(want + 1, v);
    for (size_t at = n; at-- >= sizeof want;)
        if (memcmp(p + at + 1 - sizeof want, want, sizeof want) == 0)
            return p + at + 2 - sizeof want;
    return NULL;
}

static uint32_t crc_of(const uint8_t *p, size_t n)
{
    return crc32c(0, p, n) | CRC_PLACE;
}

static bool taskdir_is_whole(uint8_t *p, size_t n, uint32_t crc)
{
    uint8_t *at = find_number(p, n, crc);
    if (at)
        put_be32(at, CRC_PLACE);
    return at && crc_of(p, n) == crc;
}

int taskdir_write_end(int dir_fd, const struct launch_end *end, bool sync)
{
    struct str body = STR_INIT;
    struct launch_end with_crc = *end;
    with_crc.crc = CRC_PLACE;
    codec_encode(&launch_end_rec, &with_crc, &body);
    uint8_t *at = find_number((uint8_t *)body.s, body.len, CRC_PLACE);
    put_be32(at, crc_of((const uint8_t *)body.s, body.len));
    int r = atomic_create(dir_fd, "end", body.s, body.len, sync);
    str_fini(&body);
    return r;
}

bool taskdir_take_reserve(int dir_fd)
{
    struct stat st;
    int fd = openat(dir_fd, "../../" TASKDIR_RESERVE, O_RDWR | O_CLOEXEC | O_NOFOLLOW);
    if (fd < 0)
        return false;
    bool some = fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_nlink == 1 && st.st_size > 0;
    if (some && ftruncate(fd, st.st_size > RESERVE_PIECE ? st.st_size - RESERVE_PIECE : 0) < 0)
        some = false;
    close(fd);
    return some;
}

int taskdir_read_end(int dir_fd, struct launch_end *ret)
{
    int fd = openat(dir_fd, "end", O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
    if (fd < 0)
        return -errno;
    struct stat st;
    int r = fstat(fd, &st) < 0 ? -errno : st.st_size <= 0 || st.st_size > (off_t)END_MAX ? -EBADMSG : 0;
    if (r == 0) {
        size_t n = (size_t)st.st_size;
        char *buf = xmalloc(n);
        r = read(fd, buf, n) == (ssize_t)n ? codec_decode(&launch_end_rec, buf, n, ret, NULL) : -EIO;
        if (r == 0 && ret->crc && !taskdir_is_whole((uint8_t *)buf, n, ret->crc)) {
            rec_fini(&launch_end_rec, ret);
            r = -EBADMSG;
        }
        if (r == 0)
            ret->crc = 0;
        free(buf);
    }
    close(fd);
    return r;
}

bool taskdir_is_passing(int r)
{
    return r == -EMFILE || r == -ENFILE || r == -ENOMEM || r == -EINTR || r == -EAGAIN;
}

void taskdir_sync_end(int dir_fd)
{
    int fd = openat(dir_fd, "end", O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
    if (fd < 0)
        return;
    fdatasync(fd);
    close(fd);
    fsync(dir_fd);
}

void taskdir_remove(int tasks_fd, const char *name)
{
    int fd = openat(tasks_fd, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
    if (fd < 0)
        return;
    /* The names that nearly every task has; a directory is read only where more is in it. */
    unlinkat(fd, "shim", 0);
    unlinkat(fd, "end", 0);
    unlinkat(fd, TASKDIR_SCRIPT, 0);
    if (unlinkat(tasks_fd, name, AT_REMOVEDIR) == 0) {
        close(fd);
        return;
    }
    DIR *d = fdopendir(fd);
    if (!d) {
        close(fd);
        return;
    }
    for (struct dirent *e; (e = readdir(d));)
        if (strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0)
            unlinkat(dirfd(d), e->d_name, 0);
    closedir(d);
    unlinkat(tasks_fd, name, AT_REMOVEDIR);
}
