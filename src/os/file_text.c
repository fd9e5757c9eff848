/* file_text.c - texts of files. Programs with rights over the machine do without. */
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "src/os/file.h"

#define CHUNK 65536

int file_read_fd(int fd, size_t max, struct str *ret)
{
    for (;;) {
        str_reserve(ret, CHUNK);
        ssize_t n = read(fd, ret->s + ret->len, CHUNK);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return n < 0 ? -errno : 0;
        ret->len += (size_t)n;
        ret->s[ret->len] = '\0';
        if (ret->len > max)
            return -EFBIG;
    }
}

char *file_text(const char *path)
{
    struct str s = STR_INIT;
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return NULL;
    file_read_fd(fd, SIZE_MAX, &s);
    close(fd);
    return str_take(&s);
}

int file_write(const char *path, mode_t mode, const char *text)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, mode);
    if (fd < 0)
        return -errno;
    int r = file_write_fd(fd, text, strlen(text));
    if (r == 0 && (fchmod(fd, mode) < 0 || fsync(fd) < 0))
        r = -errno;
    close(fd);
    if (r < 0)
        unlink(path);
    return r;
}
