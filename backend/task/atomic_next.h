/* atomic_next.h - the file that gets a name next: what atomic_file.c and atomic_again.c share. */
#ifndef STOKER_BACKEND_ATOMIC_NEXT_H
#define STOKER_BACKEND_ATOMIC_NEXT_H

#include <stdbool.h>
#include <stddef.h>

#define ATOMIC_NAME_SIZE 64

/* It is not truncated: its room would be gone. Returns a descriptor or -1. */
int atomic_open_next(int dir_fd, const char *name, char next[static ATOMIC_NAME_SIZE]);
/* Returns 0 or -errno. */
int atomic_write_next(int dir_fd, const char *name, const void *p, size_t n, bool sync,
                      char next[static ATOMIC_NAME_SIZE]) __attribute__((warn_unused_result));

#endif
