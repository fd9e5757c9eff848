/* file.c - small text files. */
#include "src/base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "src/base/str.h"

char *file_text(const char *path)
{
    struct str s = STR_INIT;
    FILE *f = fopen(path, "re");
    char buf[4096];
    for (size_t n; f && (n = fread(buf, 1, sizeof buf, f)) > 0;)
        str_append_n(&s, buf, n);
    if (!f)
        return NULL;
    fclose(f);
    return str_take(&s);
}

int file_write(const char *path, mode_t mode, const char *text)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, mode);
    if (fd < 0)
        return -errno;
    size_t len = strlen(text);
    ssize_t n = write(fd, text, len);
    int r = n < 0 ? -errno : (size_t)n < len ? -ENOSPC : fchmod(fd, mode) < 0 || fsync(fd) < 0 ? -errno : 0;
    close(fd);
    if (r < 0)
        unlink(path);
    return r;
}
