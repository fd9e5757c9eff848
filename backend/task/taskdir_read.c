/* taskdir_read.c - what the agent alone does with the directories of tasks: supervisors do not link it. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "backend/task/taskdir.h"
#include "backend/task/taskdir_files.h"
#include "src/base/xalloc.h"
#include "src/proto/codec.h"

#define END_MAX (4u << 20)

bool taskdir_parse_name(const char *name, struct launch_key *ret)
{
    char again[TASKDIR_NAME_SIZE];
    ret->nonce = 0;
    return sscanf(name, "%u.%d.%u.%u", &ret->job, &ret->step, &ret->task, &ret->attempt) == 4 &&
           strcmp(taskdir_name(ret, again), name) == 0;
}

static bool taskdir_is_whole(uint8_t *p, size_t n, uint32_t crc)
{
    uint8_t *at = find_number(p, n, crc);
    if (at)
        put_be32(at, CRC_PLACE);
    return at && crc_of(p, n) == crc;
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
    /* The directory may have had another name before. */
    fd = openat(dir_fd, "..", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0)
        return;
    fsync(fd);
    close(fd);
}

/* The claim goes first: without one a next agent takes the directory for that of a task that never
 * began. */
int taskdir_pass_on(int tasks_fd, const char *from, const char *to)
{
    int fd = openat(tasks_fd, from, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
    int r = fd < 0 || renameat(fd, CLAIM, fd, CLAIM_NEXT) < 0 || renameat(fd, "end", fd, "end.tmp") < 0 ||
                    renameat2(tasks_fd, from, tasks_fd, to, RENAME_NOREPLACE) < 0
                ? -errno
                : 0;
    if (fd >= 0)
        close(fd);
    return r;
}
