/* atomic_file.h - small files that can be replaced while the disk is full: room for the next version is
 * taken beforehand.
 *
 * The next version of NAME is NAME.tmp, which then takes its place; where there was a NAME it becomes the
 * next NAME.tmp, and its room with it.
 */
#ifndef STOKER_BACKEND_TASK_ATOMIC_FILE_H
#define STOKER_BACKEND_TASK_ATOMIC_FILE_H

#include <stdbool.h>
#include <stddef.h>

/* Takes room for a version of up to 4 KiB where none is taken yet. A file system that cannot, or has none
 * left, is not a failure. */
void atomic_reserve(int dir_fd, const char *name);
/* Replaces the file in one step; sync: on the disk before that. 0 or -errno, then the old one is there
 * still. */
int atomic_write(int dir_fd, const char *name, const void *p, size_t n, bool sync)
    __attribute__((warn_unused_result));
/* The same for a file that is written once: nothing is kept for a later version. */
int atomic_create(int dir_fd, const char *name, const void *p, size_t n, bool sync)
    __attribute__((warn_unused_result));

#endif
