/* atomic_again.c - files that are written again and again, and their room on the disk. A supervisor writes
 * each of its files once. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include "backend/task/atomic_file.h"
#include "backend/task/atomic_next.h"

#define ROOM 4096

void atomic_reserve(int dir_fd, const char *name)
{
    char next[ATOMIC_NAME_SIZE];
    int fd = atomic_open_next(dir_fd, name, next);
    if (fd < 0)
        return;
    if (fallocate(fd, FALLOC_FL_KEEP_SIZE, 0, ROOM) < 0) {
        /* Then it is written without. */
    }
    close(fd);
}

int atomic_write(int dir_fd, const char *name, const void *p, size_t n, bool sync)
{
    char next[ATOMIC_NAME_SIZE];
    int r = atomic_write_next(dir_fd, name, p, n, sync, next);
    if (r < 0 || renameat2(dir_fd, next, dir_fd, name, RENAME_EXCHANGE) == 0)
        return r;
    return renameat(dir_fd, next, dir_fd, name) < 0 ? -errno : 0;
}
