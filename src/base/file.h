/* file.h - small text files as a whole. */
#ifndef STOKER_BASE_FILE_H
#define STOKER_BASE_FILE_H

#include <sys/types.h>

/* Its text; NULL where it cannot be opened. Caller frees. */
char *file_text(const char *path) __attribute__((warn_unused_result));

/* Writes text to a file that is then on disk, in place of what it held; a link is not followed. Not for a
 * file that others read: write beside it, then rename. Returns 0 or -errno; what was written then is
 * gone. */
int file_write(const char *path, mode_t mode, const char *text) __attribute__((warn_unused_result));

#endif
