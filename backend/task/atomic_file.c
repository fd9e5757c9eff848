#include "backend/task/atomic_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "backend/task/atomic_next.h"
#include "src/os/file.h"

int atomic_open_next(int dir_fd, const char *name, char next[static ATOMIC_NAME_SIZE])
{
    snprintf(next, ATOMIC_NAME_SIZE, "%s.tmp", name);
    /* Not truncated: its room would be gone. */
    return openat(dir_fd, next, O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0640);
}

int atomic_write_next(int dir_fd, const char *name, const void *p, size_t n, bool sync,
                      char next[static ATOMIC_NAME_SIZE])
{
    struct stat st;
    int fd = atomic_open_next(dir_fd, name, next);
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

int atomic_create(int dir_fd, const char *name, const void *p, size_t n, bool sync)
{
    char next[ATOMIC_NAME_SIZE];
    int r = atomic_write_next(dir_fd, name, p, n, sync, next);
    return r ? r : renameat(dir_fd, next, dir_fd, name) < 0 ? -errno : 0;
}
