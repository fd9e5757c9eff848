/* file.h - files and descriptors, read and written as a whole. */
#ifndef STOKER_OS_FILE_H
#define STOKER_OS_FILE_H

#include <stddef.h>
#include <sys/types.h>

#include "src/base/str.h"

/* Appends what is left of fd to ret, whose text is not NULL afterwards. Errors: -EFBIG, ret is longer than
 * max bytes now and there may be more; -errno. What was read before is in ret. */
int file_read_fd(int fd, size_t max, struct str *ret);

/* Writes all of it. Returns 0 or -errno; fd blocks. */
int file_write_fd(int fd, const void *p, size_t n) __attribute__((warn_unused_result));

/* Its text; NULL where it cannot be opened. Caller frees. */
char *file_text(const char *path) __attribute__((warn_unused_result));

/* Writes text to a file that is then on disk, in place of what it held; a link is not followed. Not for a
 * file that others read: write beside it, then rename. Returns 0 or -errno; what was written then is
 * gone. */
int file_write(const char *path, mode_t mode, const char *text) __attribute__((warn_unused_result));

#endif
