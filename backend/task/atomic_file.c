#include "backend/task/atomic_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "src/base/file.h"

#define ROOM      4096
#define NAME_SIZE 64

static int open_next(int dir_fd, const char *name, char next[static NAME_SIZE])
{
    snprintf(next, NAME_SIZE, "%s.tmp", name);
    /* Not truncated: its room would be gone. */
    return openat(dir_fd, next, O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0640);
}

void atomic_reserve(int dir_fd, const char *name)
{
    char next[NAME_SIZE];
    int fd = open_next(dir_fd, name, next);
    if (fd < 0)
        return;
    if (fallocate(fd, FALLOC_FL_KEEP_SIZE, 0, ROOM) < 0) {
        /* Then it is written without. */
    }
    close(fd);
}

/* Into the file that gets the name next. */
static int write_next(int dir_fd, const char *name, const void *p, size_t n, bool sync,
                      char next[static NAME_SIZE])
{
    struct stat st;
    int fd = open_next(dir_fd, name, next);
    int r = fd < 0 ? -errno : file_write_fd(fd, p, n);
    /* What is longer in an older version; its first block stays. */
    if (r == 0 && fstat(fd, &st) == 0 && st.st_size > (off_t)n && ftruncate(fd, (off_t)n) < 0)
        r = -errno;
    if (r == 0 && sync && fdatasync(fd) < 0)
        r = -errno;
    if (fd >= 0 && close(fd) < 0 && r == 0)
        r = -errno;
    return r;
}

int atomic_write(int dir_fd, const char *name, const void *p, size_t n, bool sync)
{
    char next[NAME_SIZE];
    int r = write_next(dir_fd, name, p, n, sync, next);
    if (r < 0 || renameat2(dir_fd, next, dir_fd, name, RENAME_EXCHANGE) == 0)
        return r;
    return renameat(dir_fd, next, dir_fd, name) < 0 ? -errno : 0;
}

int atomic_create(int dir_fd, const char *name, const void *p, size_t n, bool sync)
{
    char next[NAME_SIZE];
    int r = write_next(dir_fd, name, p, n, sync, next);
    return r ? r : renameat(dir_fd, next, dir_fd, name) < 0 ? -errno : 0;
}
